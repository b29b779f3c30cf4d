import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FaultPoint } from '../../src/platform/supervision/faultPoint.ts';

export type DelivererProcess = {
  child: ChildProcess;
  /** Resolves with the signal that ended the process. */
  ended: Promise<NodeJS.Signals | null>;
};

/** A deliverer in a separate process. It kills itself when it passes the fault point for the nth time. */
export async function startDelivererProcess(options: {
  databaseUrl: string;
  fault?: `${FaultPoint}:${number}`;
  leaseMs?: number;
}): Promise<DelivererProcess> {
  const { databaseUrl, fault, leaseMs = 1_500 } = options;
  const child = fork(
    fileURLToPath(new URL('runDeliverer.ts', import.meta.url)),
    [databaseUrl, String(leaseMs)],
    {
      env: { ...process.env, FAULT_POINT: fault ?? '' },
    },
  );
  const ended = once(child, 'exit').then(([, signal]) => signal);
  await Promise.race([once(child, 'message'), ended]);
  return { child, ended };
}
