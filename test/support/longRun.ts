import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../src/cli/devtools/postgres.ts';
import { describeFlaws, type Flaws, isFlawless } from './flaws.ts';

/** The context of a long run, in addition to its own options. */
export type LongRunParts = {
  databaseUrl: string;
  onProgress(message: string): void;
  onLine(line: string): void;
};

/**
 * Runs with its own PostgreSQL, prints progress and results, and exits with 1 if there are flaws. Output of
 * the processes under test goes to the file `log`, if given.
 */
export async function runLong<Report>(options: {
  log: string | undefined;
  run(parts: LongRunParts): Promise<Report>;
  describeReport(report: Report): string;
  listFlaws(report: Report): Flaws;
}): Promise<void> {
  const { log, run, describeReport, listFlaws } = options;
  const { show, ...printing } = createPrinter(log);
  await withOwnPostgres(async (databaseUrl) => {
    const report = await run({ databaseUrl, ...printing });
    show(describeReport(report), listFlaws(report));
  });
}

/** Prints progress and results to the terminal, and lines of processes to the file `log`, if given. */
export function createPrinter(log: string | undefined) {
  return {
    onProgress: (message: string) => console.log(`${new Date().toISOString()} ${message}`),
    onLine(line: string) {
      if (log) appendFileSync(log, `${line}\n`);
    },
    /** Flaws make the program exit with 1. */
    show(text: string, flaws: Flaws) {
      console.log(text);
      console.log(describeFlaws(flaws));
      if (!isFlawless(flaws)) process.exitCode = 1;
    },
  };
}

/** Runs a test on its own PostgreSQL. */
export async function withOwnPostgres(work: (databaseUrl: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'agreements-run-'));
  // Processes crash, but the machine under the database does not.
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const server = await startPostgres({ dataDirectory: directory, settings });
  try {
    await work(server.url);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true });
  }
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${text} is no count`);
  return Number(text);
}
