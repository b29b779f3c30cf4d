import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { z } from 'zod';
import { acquireSchemaLock } from '../../../src/api/indexer/schemaLock.ts';
import { nameSessions, sessionName } from '../../../src/api/indexer/sessions.ts';

const planShape = z.object({
  /** Where the lock is asked for. */
  lockUrl: z.string(),
  databaseUrl: z.string(),
  schema: z.string(),
  leaseMs: z.number(),
});

export type LockHolder = {
  pid: number;
  /** What it has printed so far, by lines. */
  lines: readonly string[];
  /** Resolves with its exit code: 75 where it lost the lock. */
  exited: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
};

/**
 * A process of its own that takes the lock of the schema and, once it has it, writes its process id into the table `written`, of
 * numbers that are unique, in a transaction that it leaves open. The caller ends it.
 */
export function startLockHolder(plan: z.output<typeof planShape>): LockHolder {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(plan)], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return {
    pid: child.pid ?? 0,
    lines,
    exited: once(child, 'close').then(([code]) => code),
    signal: (signal) => child.kill(signal),
  };
}

async function hold({ lockUrl, databaseUrl, schema, leaseMs }: z.output<typeof planShape>): Promise<void> {
  await acquireSchemaLock({
    url: lockUrl,
    schema,
    leaseMs,
    logger: pino(),
    onLost(cause) {
      console.log(`lost: ${cause.message}`);
      process.exit(75);
    },
  });
  const writer = new pg.Client({
    connectionString: nameSessions(databaseUrl, sessionName(schema, 'ponder')),
  });
  writer.on('error', () => {});
  await writer.connect();
  await writer.query('begin');
  await writer.query('insert into written (number, pid) values (1, $1)', [process.pid]);
  console.log('written');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await hold(planShape.parse(JSON.parse(process.argv[2] ?? '')));
