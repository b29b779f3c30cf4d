import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import type { DevStack } from '../../../src/cli/dev/devStack.ts';
import { createLocalStacks } from '../../e2e/support/localStack.ts';
import { listenLocally } from '../../support/listenLocally.ts';

export type SharedStack = Pick<DevStack, 'baseUrl' | 'apiKey' | 'chains' | 'accounts' | 'databaseUrl'>;

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers with the `SharedStack` once it is up, or with 500 and the reason if it did not start. */
    stackUrl: string;
  }
}

/**
 * An idle stack takes a tenth of a processor from the tests of other projects, which run for minutes after
 * the client's tests.
 */
const lookIntervalMs = 1_000;

/**
 * Starts one running service for all tests of the client, as its users start it, while tests of other projects
 * already run. It ends when all of the client's files are done.
 */
export default async function startStack(project: TestProject): Promise<() => Promise<void>> {
  const stacks = await createLocalStacks();
  const starting = stacks.start().then(
    ({ stack: { baseUrl, apiKey, chains, accounts, databaseUrl } }): { status: number; text: string } => {
      const shared: SharedStack = { baseUrl, apiKey, chains, accounts, databaseUrl };
      return { status: 200, text: JSON.stringify(shared) };
    },
    (error) => ({ status: 500, text: String(error) }),
  );
  const server = await listenLocally(
    createServer(async (_, response) => {
      const { status, text } = await starting;
      response.writeHead(status).end(text);
    }),
  );
  project.provide('stackUrl', server.url);

  let disposed: Promise<void> | undefined;
  const dispose = () => {
    clearInterval(looking);
    disposed ??= Promise.all([server.close(), stacks.dispose()]).then(() => {});
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
