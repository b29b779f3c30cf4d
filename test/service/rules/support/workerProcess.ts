import { generatePrivateKey } from 'viem/accounts';
import { findProgram } from '../../../../src/cli/build/builtPrograms.ts';
import { processSettings } from '../../../../src/cli/services/processSettings.ts';
import { type Child, startChild } from '../../../../src/platform/supervision/child.ts';
import type { FaultPoint } from '../../../../src/platform/supervision/faultPoint.ts';
import { inheritedEnvironment } from '../../../support/inheritedEnvironment.ts';
import { readyLine } from '../../../support/serviceStack.ts';
import { waitUntil } from '../../../support/waitUntil.ts';
import { chainId } from '../../projector/support/setup.ts';

export type WorkerProcess = {
  /** Kills it like a crash. */
  kill: Child['kill'];
  exited: Child['exited'];
  hasEnded(): boolean;
  /** Resolves once it has started its work. */
  ready(): Promise<void>;
};

/**
 * The worker program, for one chain whose node does not answer, so it knows only what the index shows. It
 * kills itself when it passes the fault point for the nth time. The caller ends it; it also ends with the
 * caller.
 */
export function startWorkerProcess(options: {
  databaseUrl: string;
  smtpUrl: string;
  fault?: `${FaultPoint}:${number}`;
}): WorkerProcess {
  const { databaseUrl, smtpUrl, fault } = options;
  const lines: string[] = [];
  const child = startChild({
    entry: findProgram('worker'),
    ...processSettings.worker,
    env: {
      ...inheritedEnvironment(),
      DATABASE_URL: databaseUrl,
      CHAINS: String(chainId),
      // Nothing listens on the discard port.
      [`RPC_URL_${chainId}`]: 'http://127.0.0.1:9',
      [`CONFIRMATIONS_${chainId}`]: '1',
      RELAYER_PRIVATE_KEYS: generatePrivateKey(),
      WORKER_INTERNAL_PORT: '0',
      SMTP_URL: smtpUrl,
      MAIL_FROM: 'no-reply@service.example',
      ...(fault && { FAULT_POINT: fault }),
    },
    onLine: (line) => lines.push(line),
  });
  let hasEnded = false;
  void child.exited.then(() => {
    hasEnded = true;
  });
  return {
    kill: child.kill,
    exited: child.exited,
    hasEnded: () => hasEnded,
    async ready() {
      await waitUntil('the worker runs', () => {
        if (hasEnded) throw new Error(lines.join('\n'));
        return lines.some((line) => readyLine.test(line));
      });
    },
  };
}
