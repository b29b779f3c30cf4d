import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../src/cli/devtools/postgres.ts';
import { describeFlaws, type Flaws, isFlawless } from './flaws.ts';

/** What a long run works with, besides what its options say. */
export type LongRunParts = {
  databaseUrl: string;
  onProgress(message: string): void;
  onLine(line: string): void;
};

/**
 * Runs on a PostgreSQL of its own, prints how it goes and what came of it, and lets the program end with 1 where that has flaws.
 * What the processes under test print goes to the file `log`, if there is one.
 */
export async function runLong<Report>(options: {
  log: string | undefined;
  run(parts: LongRunParts): Promise<Report>;
  /** What happened, in lines for a terminal. */
  describeReport(report: Report): string;
  listFlaws(report: Report): Flaws;
}): Promise<void> {
  const { log, run, describeReport, listFlaws } = options;
  await withOwnPostgres(async (databaseUrl) => {
    const report = await run({
      databaseUrl,
      onProgress: (message) => console.log(`${new Date().toISOString()} ${message}`),
      onLine: (line) => log && appendFileSync(log, `${line}\n`),
    });
    const flaws = listFlaws(report);
    console.log(describeReport(report));
    console.log(describeFlaws(flaws));
    if (!isFlawless(flaws)) process.exitCode = 1;
  });
}

/** Runs something on a PostgreSQL of its own. */
export async function withOwnPostgres(work: (databaseUrl: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'agreements-run-'));
  // Processes crash, and not the machine under the database.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const server = await startPostgres({ dataDirectory: directory, settings });
  try {
    await work(server.url);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true });
  }
}

/** Parses the value of an option. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${text} is no count`);
  return Number(text);
}
