import { type Address, type Hex, parseGwei } from 'viem';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { type Child, describeExit } from '../../../src/platform/supervision/child.ts';
import { supervise, unlimitedRestarts } from '../../../src/platform/supervision/supervisor.ts';
import { temporaryFailure } from '../../../src/platform/supervision/temporaryFailure.ts';
import { createLyingNode } from '../../support/lyingNode.ts';
import { createServiceStack, type ServiceKind } from '../../support/serviceStack.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import type { OnClose } from '../../support/withClosings.ts';

const settings = {
  RELAYER_POLL_MS: '250',
  RELAYER_LEASE_MS: '1000',
  RELAYER_RESEND_SECONDS: '1',
  RELAYER_REPLACE_SECONDS: '10',
  SIGNING_WAIT_MS: '3000',
  DEPLOY_WAIT_MS: '3000',
  // A silent node must be given up within a scenario.
  RPC_TIMEOUT_MS: '2000',
};
const wallets = 3;
const gas = 1_000_000n;
const startMs = 300_000;

export type ScenarioWorld = Awaited<ReturnType<typeof createScenarioWorld>>;
export type KeptProcess = ReturnType<typeof keepProcess>;

/**
 * A whole service with two workers and three wallets, on a chain behind two endpoints that can be made to
 * lie. Its processes start again when they end. `onClose` gets the functions that close it.
 */
export async function createScenarioWorld(options: {
  databaseUrl: string;
  onClose: OnClose;
  onLine(line: string): void;
}) {
  const { databaseUrl, onClose } = options;
  const stack = await createServiceStack({ databaseUrl, wallets, env: settings });
  onClose(stack.close);
  const nodes = [await createLyingNode(stack.rpcUrl), await createLyingNode(stack.rpcUrl)];
  for (const node of nodes) onClose(node.close);
  const way = { [`RPC_URL_${stack.chainId}`]: nodes.map(({ url }) => url).join(',') };

  let sent: Promise<unknown> = Promise.resolve();
  const unexpected: string[] = [];
  const races: string[] = [];
  const keep = (kind: ServiceKind, env: NodeJS.ProcessEnv) => {
    const kept = keepProcess({
      start: () =>
        stack.start(kind, {
          env: { ...way, ...env },
          onLine(line) {
            const [, race] =
              /"race":"(\w+)".*"a (?:prepared )?transaction (?:reverted|would revert)"/.exec(line) ?? [];
            if (race !== undefined) races.push(race);
            options.onLine(`${kind}: ${line}`);
          },
        }),
      onEnd(code, description) {
        // If nodes contradict each other, the indexer ends and leaves it to its next start.
        if (kind !== 'indexer' || code !== temporaryFailure) unexpected.push(`${kind} ${description}`);
      },
    });
    onClose(kept.stop);
    return kept;
  };
  const port = String(await findFreePort());
  const workerPorts = [await findFreePort(), await findFreePort()];
  const processes = {
    indexer: keep('indexer', {}),
    api: keep('api', { PORT: port }),
    workers: workerPorts.map((each) => keep('worker', { WORKER_INTERNAL_PORT: String(each) })),
  };
  await stack.awaitReady();

  return {
    stack,
    nodes,
    processes,
    baseUrl: `http://127.0.0.1:${port}`,
    /** Processes that ended by themselves without a reason. */
    unexpected,
    /** The races by which the workers' logs explain each admitted input that reverted. */
    races,
    /** The running workers' counts of admitted inputs that reverted, by race. */
    async readRevertMetrics(): Promise<Map<string, number>> {
      const counts = new Map<string, number>();
      for (const each of workerPorts) {
        const read = () => fetch(`http://127.0.0.1:${each}/metrics`).catch(() => undefined);
        const response = await waitUntil('a worker tells its metrics', read, startMs);
        const pattern = /^agreements_admission_total\{(?=.*outcome="reverted").*race="(\w+)".*\} (\d+)$/gm;
        for (const [, race = '', count] of (await response.text()).matchAll(pattern))
          counts.set(race, (counts.get(race) ?? 0) + Number(count));
      }
      return counts;
    },
    /** Sends a call from one of the chain's own accounts, with a fee above or below the relay's fee. */
    async sendDirectly({ to, data, isFirst }: { to: Address; data: Hex; isFirst: boolean }): Promise<void> {
      const [account] = await stack.client.getAddresses();
      if (!account) throw new Error('the chain has no accounts');
      const fees = { maxFeePerGas: parseGwei('100'), maxPriorityFeePerGas: isFirst ? parseGwei('50') : 1n };
      // Two sends at once would get the same nonce.
      sent = sent.then(() => stack.client.sendTransaction({ account, chain: null, to, data, gas, ...fees }));
      await sent;
    },
    /**
     * Replaces the last blocks by empty ones. With `isIncluding`, the last new block holds the same
     * transactions.
     */
    async reorganise(depth: number, { isIncluding }: { isIncluding: boolean }): Promise<void> {
      const { client } = stack;
      const head = await client.getBlockNumber();
      const included: [Hex, number][] = [];
      for (let at = depth - 1; isIncluding && at >= 0; at--) {
        const { transactions } = await client.getBlock({ blockNumber: head - BigInt(at) });
        for (const hash of transactions) included.push([await readRaw(hash), depth - 1]);
      }
      await client.request<{ Method: 'anvil_reorg'; Parameters: [number, unknown]; ReturnType: null }>({
        method: 'anvil_reorg',
        params: [depth, included],
      });
    },
  };

  async function readRaw(hash: Hex): Promise<Hex> {
    return stack.client.request<{
      Method: 'eth_getRawTransactionByHash';
      Parameters: [Hex];
      ReturnType: Hex;
    }>({ method: 'eth_getRawTransactionByHash', params: [hash] });
  }
}

/** A process that starts again whenever it ends. */
function keepProcess(options: { start(): Child; onEnd(code: number | null, description: string): void }) {
  let child: Child | undefined;
  let isMeant = false;
  const { stop } = supervise({
    start: options.start,
    onStarted(started) {
      child = started;
    },
    onRestart(exit) {
      if (!isMeant) options.onEnd(exit.code, describeExit(exit));
      isMeant = false;
    },
    onGivenUp() {},
    restarts: unlimitedRestarts,
  });
  return {
    stop,
    /** Kills the process; it starts again. */
    async kill(): Promise<void> {
      isMeant = true;
      await child?.kill();
    },
    signal: (signal: 'SIGSTOP' | 'SIGCONT') => process.kill(child?.pid ?? 0, signal),
  };
}
