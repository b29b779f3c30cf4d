import type { TestProject } from 'vitest/node';
import type { DevStack } from '../../../src/cli/dev/devStack.ts';
import { createLocalStacks } from '../../e2e/support/localStack.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    stack: Pick<DevStack, 'baseUrl' | 'apiKey' | 'chains' | 'accounts' | 'databaseUrl'>;
  }
}

/**
 * An idle stack takes a tenth of a processor from the tests of other projects, which run for minutes after
 * the client's tests.
 */
const lookIntervalMs = 1_000;

/**
 * Starts one running service for all tests of the client, as its users start it. It ends when all of their
 * files are done.
 */
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
  let disposed: Promise<void> | undefined;
  const dispose = () => {
    clearInterval(looking);
    disposed ??= stacks.dispose();
    return disposed;
  };
  const { testFiles } = await project.globTestFiles();
  const looking = setInterval(() => {
    // A run of only some files, or a run that watches files, keeps the stack to its end.
    if (!project.vitest.config.watch && countFinished(project) === testFiles.length)
      dispose().catch(() => {});
  }, lookIntervalMs);
  return dispose;
}

function countFinished({ name, vitest }: TestProject): number {
  const modules = vitest.state.getTestModules().filter(({ project }) => project.name === name);
  return modules.filter((module) => !['queued', 'pending'].includes(module.state())).length;
}
