import { createPublicClient, type Hash, http, isHash } from 'viem';
import { awaitReceipt } from '../contracts-test/awaitReceipt.ts';
import { findFreePort } from '../src/cli/devtools/freePort.ts';
import type { Child } from '../src/platform/supervision/child.ts';
import { createServiceStack, type ServiceKind, type ServiceStack } from '../test/support/serviceStack.ts';
import { createSingleCallClient } from '../test/support/singleCalls.ts';
import { waitUntil } from '../test/support/waitUntil.ts';
import { watchBlockTimes } from './blockTimes.ts';
import { type Distribution, summarise } from './distribution.ts';
import { createInputSender, type InputSender } from './inputSender.ts';
import { type NodeWatch, watchNode } from './nodeWatch.ts';
import { type Acceptance, measureAcceptance } from './relayAcceptance.ts';
import { deployAgreements, type SignedInput, signInputs } from './relayCalls.ts';
import { sendDirectly } from './relayDirect.ts';
import { measureOutbox } from './relayOutbox.ts';
import { countMined, measureThroughput, type Running, type Throughput } from './relayThroughput.ts';

export type RelayBenchmark = {
  databaseUrl: string;
  seconds: number;
  wallets: number;
  blockSeconds: number;
  concurrency: number;
  /**
   * The number of inputs signed in advance for each second of each part. A part that has used up its inputs
   * ends early.
   */
  perSecond: number;
  /** Additional Node options by process, for example for profiling one. */
  nodeFlags?: Partial<Record<'api' | 'worker', readonly string[]>>;
  onProgress(message: string): void;
};

export type RelayResult = {
  direct: Throughput;
  outbox: Throughput;
  api: Throughput & { answerMs: Distribution; minedMs: Distribution };
  /** Measured at half of the rate of `api`. */
  acceptance: Acceptance;
};

/** More than two seconds' worth of inputs at the goal. */
const blockGasLimit = 1_000_000_000n;
const agreements = 50;
/** As many transactions per wallet as the relay has under way. */
const inFlight = 64;
/**
 * Concurrent sends of a wallet that wait for the node's answer; with more, the sender would only sign longer
 * at a stretch.
 */
const directSends = 4;
const sampleEvery = 10;
/** After this many more blocks, the indexer takes a block as final. */
const finalBlocks = 128;
const blocksAtOnce = 8;

/**
 * Measures how many inputs per second reach the chain: sent directly by one program, from the outbox only,
 * and through the API. The parts run one after the other, with the same kind of call and the same wallets,
 * while the whole service runs and indexes all of them.
 */
export async function measureRelay(options: RelayBenchmark): Promise<RelayResult> {
  const { databaseUrl, wallets } = options;
  const stack = await createServiceStack({ databaseUrl, wallets });
  const children = new Map<ServiceKind, Child>();
  try {
    return await measureOn({ stack, children }, options, children);
  } finally {
    // Stops them properly, so that a profiled process writes its profile.
    await Promise.all([...children.values()].map((child) => child.stop()));
    await stack.close();
  }
}

async function measureOn(
  running: Running,
  options: RelayBenchmark,
  children: Map<ServiceKind, Child>,
): Promise<RelayResult> {
  const { stack } = running;
  const port = String(await findFreePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  const start = (kind: ServiceKind, env: Readonly<Record<string, string>> = {}) => {
    const nodeFlags = kind === 'indexer' ? [] : (options.nodeFlags?.[kind] ?? []);
    const settings = {
      env: { PORT: port, LOG_LEVEL: 'warn', ...env },
      nodeFlags,
      onLine: options.onProgress,
    };
    children.set(kind, stack.start(kind, settings));
  };
  const watch = await watchNode(stack.rpcUrl);
  start('indexer');
  start('worker');
  start('api', { [`RPC_URL_${stack.chainId}`]: watch.url });
  try {
    return await measureParts(running, options, { watch, baseUrl });
  } finally {
    await watch.close();
  }
}

async function measureParts(
  running: Running,
  options: RelayBenchmark,
  { watch, baseUrl }: { watch: NodeWatch; baseUrl: string },
): Promise<RelayResult> {
  const { stack } = running;
  const { seconds, perSecond, onProgress } = options;
  await stack.awaitReady();
  const client = createSingleCallClient({ baseUrl, apiKey: stack.apiKey });
  await awaitAnswer(baseUrl);
  onProgress('signing');
  const deployed = await deployAgreements(stack, { client, count: agreements });
  const count = Math.ceil(seconds * perSecond);
  const sign = (wanted: number) => signInputs(deployed, { chainId: stack.chainId, count: wanted });
  const [first, second, third, fourth] = [
    await sign(count),
    await sign(count),
    await sign(count),
    await sign(Math.ceil(count / 4)),
  ];

  await mineInIntervals(stack, options.blockSeconds);
  onProgress('direct sends');
  const direct = await measureDirect(running, first, options);
  await settle(stack);
  onProgress('outbox alone');
  const outbox = await measureOutbox(running, second, { seconds, mostUnderWay: options.wallets * inFlight });
  await settle(stack);
  onProgress('through the API');
  const sender = createInputSender({ baseUrl, apiKey: stack.apiKey });
  const api = await measureApi(running, third, { ...options, sender });
  await settle(stack);
  onProgress('acceptance');
  const rate = Math.max(1, Math.round(api.perSecond / 2));
  const calls = fourth.slice(0, rate * seconds);
  const acceptance = await measureAcceptance(running, { watch, calls, sender, perSecond: rate });
  await sender.close();
  return { direct, outbox, api, acceptance };
}

async function awaitAnswer(baseUrl: string): Promise<void> {
  await waitUntil('the API answers', () =>
    fetch(`${baseUrl}/v0/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

/**
 * As real chains do: with a block per transaction, the measurement would mostly show the making and reading
 * of blocks.
 */
async function mineInIntervals({ client }: ServiceStack, seconds: number): Promise<void> {
  await client.setBlockGasLimit({ gasLimit: blockGasLimit });
  await client.setAutomine(false);
  await client.setIntervalMining({ interval: seconds });
}

async function measureDirect(
  running: Running,
  calls: readonly SignedInput[],
  { seconds }: RelayBenchmark,
): Promise<Throughput> {
  const { stack } = running;
  const client = createPublicClient({
    transport: http(stack.rpcUrl, { batch: { batchSize: 20 } }),
    cacheTime: 0,
  });
  return measureThroughput(running, { seconds, total: calls.length }, (isOver) =>
    sendDirectly({
      client,
      chainId: stack.chainId,
      keys: stack.relayerKeys,
      calls,
      perWallet: directSends,
      isOver,
    }),
  );
}

async function measureApi(
  running: Running,
  calls: readonly SignedInput[],
  { seconds, concurrency, sender }: RelayBenchmark & { sender: InputSender },
): Promise<RelayResult['api']> {
  const { stack } = running;
  const answerMs: number[] = [];
  const sampled: Hash[] = [];
  const waiting = calls.entries();
  const blockTimes = watchBlockTimes(stack.reader);
  const throughput = await measureThroughput(running, { seconds, total: calls.length }, async (isOver) => {
    const lane = async () => {
      for (const [at, call] of waiting) {
        if (isOver()) return;
        const startedAt = performance.now();
        const { txHash } = await sender.send(call);
        answerMs.push(performance.now() - startedAt);
        if (at % sampleEvery === 0 && txHash && isHash(txHash)) sampled.push(txHash);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
  });
  const receipts = await Promise.all(sampled.map((hash) => awaitReceipt(stack.reader, hash)));
  await blockTimes.close();
  const minedMs = await Promise.all(
    receipts.map(async ({ transactionHash, blockNumber }) => {
      const minedAt = blockTimes.seenAt.get(blockNumber) ?? Number.NaN;
      return minedAt - (await readAcceptedAt(stack, transactionHash));
    }),
  );
  return { ...throughput, answerMs: summarise(answerMs), minedMs: summarise(minedMs) };
}

/** By the database's time, in milliseconds since 1970. */
async function readAcceptedAt({ pool }: ServiceStack, hash: Hash): Promise<number> {
  const query = 'select created_at from service.transactions where tx_hash = $1';
  const { rows } = await pool.query<{ created_at: Date }>(query, [hash]);
  return rows[0]?.created_at.getTime() ?? Number.NaN;
}

/**
 * Waits until nothing is under way at the node or in the outbox, everything is folded, and the relay knows
 * the chain's head. Then makes the database clean and analyse its tables. It does that by itself once a minute, and
 * would do it during the next part, for what earlier parts have left.
 */
async function settle(stack: ServiceStack): Promise<void> {
  // Transactions that the node still holds would use up nonces that the relay considers free.
  await waitUntil('the node holds no transaction', async () => {
    const { pending, queued } = await stack.client.getTxpoolStatus();
    return pending + queued === 0;
  });
  const open = `select 1 from service.transactions where state in ('accepted', 'signed', 'broadcast') limit 1`;
  await waitUntil('the outbox is done', async () => (await stack.pool.query(open)).rowCount === 0, 300_000);
  const query = 'select sum(next_nonce)::int as sum from service.relayer_wallets';
  await waitUntil(
    'the counters are those of the chain',
    async () => (await stack.pool.query<{ sum: number }>(query)).rows[0]?.sum === (await countMined(stack)),
    120_000,
  );
  // The indexer stores final events once more; during the next part that would be work for the earlier ones.
  // A few at a time: Anvil copies the whole state for each block.
  for (let mined = 0; mined < finalBlocks; mined += blocksAtOnce)
    await stack.client.mine({ blocks: blocksAtOnce });
  await stack.awaitFolded(300_000);
  await stack.pool.query('vacuum analyze');
}
