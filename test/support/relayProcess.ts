import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import type { Hex } from 'viem';
import { z } from 'zod';
import { createDatabase } from '../../src/platform/database/database.ts';
import { createChainAccess } from '../../src/platform/nodes/clients.ts';
import { createKeySigner } from '../../src/platform/signers/keySigner.ts';
import type { FaultPoint } from '../../src/platform/supervision/faultPoint.ts';
import { createRelay } from '../../src/worker/relay/relay.ts';
import { inheritedEnvironment } from './inheritedEnvironment.ts';
import { quickSettings } from './relaySettings.ts';

const plan = z.object({
  databaseUrl: z.string(),
  rpcUrl: z.string(),
  chainId: z.number(),
  keys: z.array(z.templateLiteral(['0x', z.string()])),
  leaseMs: z.number(),
});
export type RelayProcessPlan = z.output<typeof plan>;

export type RelayProcess = {
  /** Resolves with the signal that ended the process. */
  exited: Promise<NodeJS.Signals | null>;
  kill(): Promise<void>;
};

const running = new Set<ChildProcess>();

/** A relay in a separate process. If a fault point is given, it kills itself there. The caller ends it. */
export function startRelayProcess(options: RelayProcessPlan, faultPoint?: FaultPoint): RelayProcess {
  const words = [fileURLToPath(import.meta.url), JSON.stringify(options)];
  const child = spawn(process.execPath, words, {
    env: { ...inheritedEnvironment(), ...(faultPoint && { FAULT_POINT: faultPoint }) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  running.add(child);
  const { promise: exited, resolve } = Promise.withResolvers<NodeJS.Signals | null>();
  child.on('exit', (_code, signal) => {
    running.delete(child);
    resolve(signal);
  });
  return {
    exited,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Ends processes that a failed test left. */
export function killRelayProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}

function run({ databaseUrl, rpcUrl, chainId, keys, leaseMs }: RelayProcessPlan): void {
  const logger = pino({ level: 'silent' });
  const { pool } = createDatabase({
    url: databaseUrl,
    applicationName: 'relay process',
    maxConnections: 6,
    logger,
  });
  createRelay({
    pool,
    databaseUrl,
    chains: [{ chainId, confirmations: 1 }],
    access: createChainAccess([{ chainId, name: 'test', rpcUrls: [rpcUrl] }], { rpcTimeoutMs: 5_000 }),
    signers: new Map([[chainId, { ready: keys.map((key: Hex) => createKeySigner(key)), awaited: [] }]]),
    settings: new Map([[chainId, { ...quickSettings, leaseMs }]]),
    logger,
  });
}

if (import.meta.main) run(plan.parse(JSON.parse(process.argv[2] ?? 'null')));
