import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { processIdentityShape } from '../../platform/supervision/processIdentity.ts';
import type { DevDirectory } from './devDirectory.ts';
import { findLockOwner } from './devLock.ts';

const hex = z.templateLiteral(['0x', z.string()]);

const devStackShape = z.object({
  /** The stack's process: while it runs, it holds the lock of the directory. */
  process: processIdentityShape,
  baseUrl: z.string(),
  apiKey: z.string(),
  /** Opens the console with a session, once, within a day; absent without a console. */
  consoleUrl: z.string().optional(),
  databaseUrl: z.string(),
  /** The indexer's own server: its health and its GraphQL. */
  indexerUrl: z.string(),
  /** Readiness and metrics of API and worker. */
  internalUrls: z.object({ api: z.string(), worker: z.string() }),
  /** Requests per second of one principal, with larger bursts. */
  rateLimits: z.object({ reads: z.int(), writes: z.int() }),
  /** Webhook targets that are neither https nor public. */
  webhookTargets: z.array(z.string()).default([]),
  chains: z.array(
    z.object({ chainId: z.int(), name: z.string(), rpcUrl: z.string(), wsUrl: z.string(), factory: hex }),
  ),
  /** Funded on every chain, and reserved for the user. */
  accounts: z.array(z.object({ address: hex, privateKey: hex })),
});

/** A development stack's description for its users: its addresses and its credentials. */
export type DevStack = z.output<typeof devStackShape>;

/** Writes the description atomically: a reader sees the old or the new one. */
export function writeDevStack(directory: DevDirectory, stack: DevStack): void {
  const unfinished = `${directory.stackFile}.new`;
  writeFileSync(unfinished, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, directory.stackFile);
}

/** The description of the last start; null before the first one. */
export function findDevStack(directory: DevDirectory): DevStack | null {
  try {
    return devStackShape.parse(JSON.parse(readFileSync(directory.stackFile, 'utf8')));
  } catch {
    return null;
  }
}

/** The running, usable stack of that directory; null also while one is still starting. */
export function findRunningDevStack(directory: DevDirectory): DevStack | null {
  const stack = findDevStack(directory);
  if (!stack) return null;
  const owner = findLockOwner(directory.lockFile);
  return stack.process.pid === owner?.pid && stack.process.startedAt === owner.startedAt ? stack : null;
}
