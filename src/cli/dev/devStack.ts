import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { processIdentityShape } from '../../platform/supervision/processIdentity.ts';
import type { DevDirectory } from './devDirectory.ts';
import { findLockOwner } from './devLock.ts';

const hex = z.templateLiteral(['0x', z.string()]);

const devStackShape = z.object({
  /** Whose stack it is: while it runs, it holds the lock of the directory. */
  process: processIdentityShape,
  baseUrl: z.string(),
  apiKey: z.string(),
  /** Opens the console with a session, once, within a day; absent without a console. */
  consoleUrl: z.string().optional(),
  databaseUrl: z.string(),
  /** Of the indexer's own server: its health and its GraphQL. */
  indexerUrl: z.string(),
  /** Where API and worker tell whether they are ready, and their metrics. */
  internalUrls: z.object({ api: z.string(), worker: z.string() }),
  /** Requests a second of one principal, with bursts of more. */
  rateLimits: z.object({ reads: z.int(), writes: z.int() }),
  /** Where webhooks may go that are neither https nor public. */
  webhookTargets: z.array(z.string()).default([]),
  chains: z.array(
    z.object({ chainId: z.int(), name: z.string(), rpcUrl: z.string(), wsUrl: z.string(), factory: hex }),
  ),
  /** Funded on every chain, and used by nothing but whoever reads this. */
  accounts: z.array(z.object({ address: hex, privateKey: hex })),
});

/** What a development stack tells those who use it: where it is and what opens it. */
export type DevStack = z.output<typeof devStackShape>;

/** Writes the description so that a reader sees the old one or the new one, never half of it. */
export function writeDevStack(directory: DevDirectory, stack: DevStack): void {
  const unfinished = `${directory.stackFile}.new`;
  writeFileSync(unfinished, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, directory.stackFile);
}

/** What the last start wrote; null before the first one. */
export function findDevStack(directory: DevDirectory): DevStack | null {
  try {
    return devStackShape.parse(JSON.parse(readFileSync(directory.stackFile, 'utf8')));
  } catch {
    return null;
  }
}

/** The stack of that directory, if it is running and can be used; null also while one is still starting. */
export function findRunningDevStack(directory: DevDirectory): DevStack | null {
  const owner = findLockOwner(directory.lockFile);
  const stack = findDevStack(directory);
  return owner && stack?.process.pid === owner.pid && stack.process.startedAt === owner.startedAt
    ? stack
    : null;
}
