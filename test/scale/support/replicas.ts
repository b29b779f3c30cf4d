import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import type { Child } from '../../../src/platform/supervision/child.ts';
import type { ServiceKind, ServiceStack } from '../../support/serviceStack.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import type { Balancer } from './balancer.ts';

export type Replica = {
  readonly kind: ServiceKind;
  /** Resolves once the process works, or stands by. */
  awaitReady(): Promise<void>;
  /** Stops the process as operators do, and returns what went wrong with stopping. */
  retire(): Promise<string | undefined>;
  kill(): Promise<void>;
};

const startTimeoutMs = 300_000;

/** Starts a process of the service, and adds an API to the balancer. */
export async function startReplica(
  stack: ServiceStack,
  options: { kind: ServiceKind; name: string; balancer: Balancer; onLine(line: string): void },
): Promise<Replica> {
  const { kind, name, balancer, onLine } = options;
  const [port, internalPort] = [await findFreePort(), await findFreePort()];
  const ports = {
    api: { PORT: port, INTERNAL_PORT: internalPort },
    worker: { WORKER_INTERNAL_PORT: internalPort },
    indexer: { INDEXER_PORT: port },
  }[kind];
  const lines: string[] = [];
  let hasEnded = false;
  const child: Child = stack.start(kind, {
    env: Object.fromEntries(Object.entries(ports).map(([variable, value]) => [variable, String(value)])),
    onLine(line) {
      lines.push(line);
      onLine(`${name}: ${line}`);
    },
  });
  void child.exited.then(() => {
    hasEnded = true;
  });
  const target = { name, port, internalPort };
  if (kind === 'api') balancer.add(target);
  const isReady = async () => {
    if (hasEnded) throw new Error(`${name} has ended:\n${lines.slice(-20).join('\n')}`);
    if (kind === 'api') return balancer.isReady(target);
    if (kind === 'indexer') return lines.some((line) => /"msg":"(indexing|.*stand)/.test(line));
    return fetch(`http://127.0.0.1:${internalPort}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  return {
    kind,
    awaitReady: () => waitUntil(`${name} is ready`, isReady, startTimeoutMs).then(() => {}),
    async retire() {
      const { code, signal } = await child.stop();
      balancer.remove(target);
      return code === 0 ? undefined : `${name} ended with ${signal ?? code}`;
    },
    async kill() {
      balancer.remove(target);
      await child.kill();
    },
  };
}
