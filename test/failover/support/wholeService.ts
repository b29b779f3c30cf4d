import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { describeExit } from '../../../src/platform/supervision/child.ts';
import {
  type Supervisor,
  supervise,
  unlimitedRestarts,
} from '../../../src/platform/supervision/supervisor.ts';
import { startReceiver } from '../../exactlyOnce/support/receiver.ts';
import { mineSteadily } from '../../support/mineSteadily.ts';
import { createServiceStack, type ServiceStack } from '../../support/serviceStack.ts';
import { subscribe } from '../../support/subscribe.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import type { OnClose } from '../../support/withClosings.ts';

/** Apart from these settings, the service runs with its defaults. */
const settings = {
  WEBHOOK_ALLOWED_TARGETS: '127.0.0.1',
  // A refused delivery is repeated within the run.
  WEBHOOK_BACKOFF_SECONDS: '1',
  WEBHOOK_BACKOFF_MAX_SECONDS: '2',
  WEBHOOK_ATTEMPTS: '30',
};
const wallets = 2;
const patienceMs = 300_000;

export type WholeService = Awaited<ReturnType<typeof startWholeService>>;

/**
 * Starts a chain that makes blocks, `npm start` on the database with a second indexer that stands by, and a
 * receiver of its events. Returns once everything is ready.
 */
export async function startWholeService(options: {
  databaseUrl: string;
  onClose: OnClose;
  onLine(line: string): void;
}) {
  const { databaseUrl, onClose, onLine } = options;
  const stack = await createServiceStack({ databaseUrl, wallets, env: settings });
  onClose(stack.close);
  const receiver = await startReceiver();
  onClose(receiver.close);
  const blocks = mineSteadily(stack);
  onClose(blocks.stop);
  const [port, internalPort] = [await findFreePort(), await findFreePort()];
  const restarts: string[] = [];
  let isGivenUp = false;
  const child = stack.start('all', {
    env: { PORT: String(port), INTERNAL_PORT: String(internalPort) },
    onLine(line) {
      const [restart] = /the (\w+) (ended|was ended) .* is started again/.exec(line) ?? [];
      if (restart) restarts.push(restart);
      isGivenUp ||= line.includes('too often; stopping');
      onLine(line);
    },
  });
  onClose(child.stop);
  const standby = await superviseStandby(stack, { onLine, onRestart: (restart) => restarts.push(restart) });
  onClose(standby.stop);
  await waitUntil(
    'the API is ready',
    () => {
      if (isGivenUp) throw new Error(`the service has given up: ${restarts.join(', ')}`);
      return fetch(`http://127.0.0.1:${internalPort}/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    patienceMs,
  );
  await stack.awaitReady();
  const baseUrl = `http://127.0.0.1:${port}`;
  await subscribe({ baseUrl, apiKey: stack.apiKey }, receiver);
  return { stack, receiver, blocks, baseUrl, /** Processes that ended by themselves. */ restarts };
}

/** A second indexer, which operators run in case the first one fails. */
async function superviseStandby(
  stack: ServiceStack,
  { onLine, onRestart }: { onLine(line: string): void; onRestart(restart: string): void },
): Promise<Supervisor> {
  const INDEXER_PORT = String(await findFreePort());
  return supervise({
    start: () =>
      stack.start('indexer', { env: { INDEXER_PORT }, onLine: (line) => onLine(`second indexer: ${line}`) }),
    onRestart: (exit) => onRestart(`the indexer ${describeExit(exit)} and is started again`),
    onGivenUp() {},
    restarts: unlimitedRestarts,
  });
}
