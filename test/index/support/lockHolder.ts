import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { z } from 'zod';
import { acquireSchemaLock } from '../../../src/indexer/runtime/schemaLock.ts';
import { nameSessions, sessionName } from '../../../src/indexer/runtime/sessions.ts';
import { inheritedEnvironment } from '../../support/inheritedEnvironment.ts';

const planShape = z.object({
  /** The database URL for the lock. */
  lockUrl: z.string(),
  databaseUrl: z.string(),
  schema: z.string(),
  leaseMs: z.number(),
  /**
   * What the process does after writing: its main thread stands still for this long, as in a long
   * computation, or it goes on after losing the lock.
   */
  afterwards: z.union([z.object({ blockForMs: z.number() }), z.literal('goOn')]).optional(),
});

export type LockHolder = {
  pid: number;
  lines: readonly string[];
  /** Resolves with the exit code: 75 if the process lost the lock. */
  exited: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
};

/**
 * Starts a process that takes the schema's lock and then writes its process id into the schema's table
 * `written`, whose numbers are unique. It leaves the transaction open. The caller ends the process.
 */
export function startLockHolder(plan: z.output<typeof planShape>): LockHolder {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(plan)], {
    env: inheritedEnvironment(),
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

type Plan = z.output<typeof planShape>;

async function hold(plan: Plan): Promise<void> {
  const { lockUrl, schema, leaseMs, afterwards } = plan;
  await acquireSchemaLock({
    url: lockUrl,
    schema,
    leaseMs,
    logger: pino(),
    onLost(cause) {
      console.log(`lost: ${cause.message}`);
      if (afterwards !== 'goOn') process.exit(75);
      void insert(plan, 2).catch((error: Error) => console.log(`refused: ${error.message}`));
    },
  });
  await insert(plan, 1);
  console.log('written');
  if (typeof afterwards !== 'object') return;
  // Nothing else runs on this thread meanwhile, and other processes keep the processor.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, afterwards.blockForMs);
  console.log('continues');
}

/** Inserts in a transaction that stays open. */
async function insert({ databaseUrl, schema }: Plan, number: number): Promise<void> {
  const writer = new pg.Client({
    connectionString: nameSessions(databaseUrl, sessionName(schema, 'ponder')),
  });
  writer.on('error', () => {});
  await writer.connect();
  await writer.query('begin');
  await writer.query(`insert into ${schema}.written (number, pid) values ($1, $2)`, [number, process.pid]);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await hold(planShape.parse(JSON.parse(process.argv[2] ?? '')));
