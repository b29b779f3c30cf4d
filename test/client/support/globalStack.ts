import type { TestProject } from 'vitest/node';
import type { DevStack } from '../../../src/cli/dev/devStack.ts';
import { createLocalStacks } from '../../e2e/support/localStack.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    stack: Pick<DevStack, 'baseUrl' | 'apiKey' | 'chains' | 'accounts' | 'databaseUrl'>;
  }
}

/** One running service for all tests of the client, as its users start it. */
export default async function startStack(project: TestProject): Promise<() => Promise<void>> {
  const stacks = await createLocalStacks();
  try {
    const { stack } = await stacks.start();
    const { baseUrl, apiKey, chains, accounts, databaseUrl } = stack;
    project.provide('stack', { baseUrl, apiKey, chains, accounts, databaseUrl });
  } catch (error) {
    await stacks.dispose();
    throw error;
  }
  return () => stacks.dispose();
}
