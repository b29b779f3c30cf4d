import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../src/api/dev/postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL of this run, as superuser; tests make a database of their own in it. */
    postgresUrl: string;
  }
}

/** Nothing here outlives the run, so nothing needs to reach the disk. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** One PostgreSQL for all test files of a project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'agreements-postgres-'));
  const server = await startPostgres({ dataDirectory, settings });
  project.provide('postgresUrl', server.url);
  return async () => {
    await server.stop();
    await rm(dataDirectory, { recursive: true });
  };
}
