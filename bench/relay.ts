import { readFileSync } from 'node:fs';
import { createPublicClient, type Hex, http, keccak256 } from 'viem';
import { agreementEngineAbi } from '../abis/AgreementEngine.ts';
import { channels } from '../src/api/database/channels.ts';
import { inputContentHash } from '../src/api/database/contentHash.ts';
import { inputShape } from '../src/api/demo/served.ts';
import { createServiceClient, type ServiceClient } from '../src/api/demo/serviceClient.ts';
import { findFreePort } from '../src/api/dev/freePort.ts';
import type { Child } from '../src/api/supervision/child.ts';
import { encodeInputPayload, nameHash } from '../src/protocol/index.ts';
import { createServiceStack, type ServiceKind, type ServiceStack } from '../test/support/serviceStack.ts';
import { waitUntil } from '../test/support/waitUntil.ts';
import { type Distribution, summarise } from './distribution.ts';
import { pingPong } from './pingPong.ts';
import { deployAgreements, type SignedInput, signInputs } from './relayCalls.ts';
import { sendDirectly } from './relayDirect.ts';

export type RelayBenchmark = {
  databaseUrl: string;
  seconds: number;
  wallets: number;
  /** Requests that are on their way at the same time. */
  concurrency: number;
  /** Signed beforehand for each second of each part; a part that has used up its own ends early. */
  perSecond: number;
  /** What Node is told beside the usual, by process: to profile one, for example. */
  nodeFlags?: Partial<Record<'api' | 'worker', readonly string[]>>;
  onProgress(message: string): void;
};

/** Transactions that were mined, in how many seconds, and how many that is in one. */
export type Throughput = {
  mined: number;
  seconds: number;
  perSecond: number;
  /** Processor time for each of them, by process, in milliseconds: it depends little on what else the machine does. */
  cpuMs: Readonly<Record<string, number>>;
};

type Running = { stack: ServiceStack; children: ReadonlyMap<ServiceKind, Child> };

export type RelayResult = {
  direct: Throughput;
  outbox: Throughput;
  api: Throughput & { answerMs: Distribution; minedMs: Distribution };
  /** One request at a time: the answer, what the simulation alone takes, and what the request took beyond that. */
  acceptance: { answerMs: Distribution; simulationMs: Distribution; beyondMs: Distribution };
};

const agreements = 50;
/** As many of a wallet's transactions as the relay has under way. */
const inFlight = 64;
const warmUpShare = 0.05;
const acceptanceRounds = 200;
const sampleEvery = 10;
const storedAtOnce = 500;

/**
 * How many inputs a second get on the chain: sent by one program directly, from the outbox alone, and through the API; one part
 * after the other, with the same kind of call and the same wallets, while the whole service runs and indexes all of them.
 */
export async function measureRelay(options: RelayBenchmark): Promise<RelayResult> {
  const { databaseUrl, wallets } = options;
  const stack = await createServiceStack({ databaseUrl, wallets });
  const children = new Map<ServiceKind, Child>();
  try {
    return await measureOn({ stack, children }, options, children);
  } finally {
    // Asked to stop: a profile is written then.
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
  const { seconds, perSecond, onProgress } = options;
  const port = String(await findFreePort());
  const baseUrl = `http://127.0.0.1:${port}`;
  for (const kind of ['indexer', 'worker', 'api'] as const) {
    const nodeFlags = kind === 'indexer' ? [] : (options.nodeFlags?.[kind] ?? []);
    const settings = { env: { PORT: port, LOG_LEVEL: 'warn' }, nodeFlags, onLine: onProgress };
    children.set(kind, stack.start(kind, settings));
  }
  await stack.awaitReady();
  const service = createServiceClient({ baseUrl, apiKey: stack.apiKey });
  await waitUntil('the API answers', () =>
    fetch(`${baseUrl}/v0/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  onProgress('signing');
  const deployed = await deployAgreements(stack, { service, baseUrl, count: agreements });
  const count = Math.ceil(seconds * perSecond);
  const sign = (wanted: number) => signInputs(deployed, { chainId: stack.chainId, count: wanted });
  const [first, second, third, fourth] = [
    await sign(count),
    await sign(count),
    await sign(count),
    await sign(2 * acceptanceRounds),
  ];

  onProgress('direct sends');
  const direct = await measureDirect(running, first, options);
  await settle(stack);
  onProgress('outbox alone');
  const outbox = await measureOutbox(running, second, options);
  await settle(stack);
  onProgress('through the API');
  const api = await measureApi(running, third, { ...options, service });
  await settle(stack);
  onProgress('acceptance');
  const acceptance = await measureAcceptance(stack, fourth, service);
  return { direct, outbox, api, acceptance };
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
      perWallet: inFlight,
      isOver,
    }),
  );
}

/** Stores rows as the API does, always some more than the relay has under way. */
async function measureOutbox(
  running: Running,
  calls: readonly SignedInput[],
  { seconds, wallets }: RelayBenchmark,
): Promise<Throughput> {
  const { stack } = running;
  const query = `select count(*)::int as open from service.transactions where state = 'accepted'`;
  const backlog = Math.max(2 * wallets * inFlight, storedAtOnce);
  return measureThroughput(running, { seconds, total: calls.length }, async (isOver) => {
    for (let at = 0; at < calls.length && !isOver(); at += storedAtOnce) {
      await waitUntil(
        'there is room',
        async () =>
          ((await stack.pool.query<{ open: number }>(query)).rows[0]?.open ?? 0) <= backlog || isOver(),
        2 * seconds * 1_000,
      );
      await storeRows(stack, calls.slice(at, at + storedAtOnce));
    }
  });
}

let stored = 0;

async function storeRows({ pool, chainId }: ServiceStack, calls: readonly SignedInput[]): Promise<void> {
  const payload = encodeInputPayload(pingPong, 'hit', { note: 'benchmark' });
  const contentHash = inputContentHash({ inputId: nameHash('hit'), payload });
  const ids = calls.map(() => `txn_bench${stored++}`);
  await pool.query(
    `with stored as (
       insert into service.transactions (id, chain_id, kind, contract, signer, permit_nonce, permit_digest, content_hash,
         deadline, call_data, gas_estimate)
       select id, $1, 'input', contract, signer, 0, digest, $2, deadline, data, 150000
       from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::numeric[], $8::text[])
         as row(id, contract, signer, digest, deadline, data))
     select pg_notify($9, $1::text)`,
    [
      chainId,
      contentHash,
      ids,
      calls.map(({ to }) => to),
      calls.map(({ body }) => Reflect.get(body, 'signer')),
      calls.map(({ data }) => keccak256(data)),
      calls.map(({ body }) => Reflect.get(body, 'deadline')),
      calls.map(({ data }) => data),
      channels.outbox,
    ],
  );
}

async function measureApi(
  running: Running,
  calls: readonly SignedInput[],
  { seconds, concurrency, service }: RelayBenchmark & { service: ServiceClient },
): Promise<RelayResult['api']> {
  const { stack } = running;
  const answerMs: number[] = [];
  const minedMs: number[] = [];
  const samples: Promise<void>[] = [];
  const waiting = calls.entries();
  const throughput = await measureThroughput(running, { seconds, total: calls.length }, async (isOver) => {
    const lane = async () => {
      for (const [at, { recordId, body }] of waiting) {
        if (isOver()) return;
        const startedAt = performance.now();
        const { txHash } = await service.post(`/agreements/${recordId}/input`, body, inputShape);
        answerMs.push(performance.now() - startedAt);
        if (at % sampleEvery === 0 && txHash)
          samples.push(awaitMined(stack, txHash).then((ms) => void minedMs.push(ms)));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
    await Promise.all(samples);
  });
  return { ...throughput, answerMs: summarise(answerMs), minedMs: summarise(minedMs) };
}

/** Milliseconds from the moment at which the transaction was accepted, as the database has it, to that of its receipt. */
async function awaitMined({ reader, pool }: ServiceStack, hash: Hex): Promise<number> {
  await waitUntil('it is mined', async () => {
    const receipt = await reader.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    return receipt?.blockNumber != null;
  });
  const minedAt = Date.now();
  const query = 'select created_at from service.transactions where tx_hash = $1';
  const { rows } = await pool.query<{ created_at: Date }>(query, [hash]);
  return minedAt - (rows[0]?.created_at.getTime() ?? Number.NaN);
}

/** One request at a time, each followed by the questions to the node that decide about it, by themselves. */
async function measureAcceptance(
  stack: ServiceStack,
  calls: readonly SignedInput[],
  service: ServiceClient,
): Promise<RelayResult['acceptance']> {
  const client = createPublicClient({
    transport: http(stack.rpcUrl, { batch: { batchSize: 20 } }),
    cacheTime: 0,
  });
  const [from] = stack.relayers;
  const answerMs: number[] = [];
  const simulationMs: number[] = [];
  const beyondMs: number[] = [];
  const warmUp = Math.ceil(acceptanceRounds * warmUpShare);
  for (let round = -warmUp; round < acceptanceRounds; round++) {
    const [sent, simulated] = calls.slice(2 * (round + warmUp));
    if (!sent || !simulated || !from) break;
    const simulationStartedAt = performance.now();
    const { to, data } = simulated;
    const reading = { address: to, abi: agreementEngineAbi } as const;
    await Promise.all([
      client.request({ method: 'eth_estimateGas', params: [{ from, to, data }] }),
      client.readContract({ ...reading, functionName: 'nonces', args: [from] }),
      client.readContract({ ...reading, functionName: 'currentState' }),
    ]);
    const startedAt = performance.now();
    await service.post(`/agreements/${sent.recordId}/input`, sent.body, inputShape);
    const endedAt = performance.now();
    if (round < 0) continue;
    simulationMs.push(startedAt - simulationStartedAt);
    answerMs.push(endedAt - startedAt);
    beyondMs.push(endedAt - startedAt - (startedAt - simulationStartedAt));
  }
  return {
    answerMs: summarise(answerMs),
    simulationMs: summarise(simulationMs),
    beyondMs: summarise(beyondMs),
  };
}

/** Runs `work` until it ends by itself or the time is up; beginning and end, when less is under way, do not count. */
async function measureThroughput(
  { stack, children }: Running,
  { seconds, total }: { seconds: number; total: number },
  work: (isOver: () => boolean) => Promise<unknown>,
): Promise<Throughput> {
  const before = await countMined(stack);
  const giveUpAt = performance.now() + seconds * 1_000;
  const isOver = () => performance.now() > giveUpAt;
  const isWarm = () => performance.now() > giveUpAt - seconds * 1_000 * (1 - warmUpShare);
  const working = work(isOver);
  const count = async () => (await countMined(stack)) - before;
  await waitUntil('the warm-up is over', isWarm);
  const startedAt = performance.now();
  const cpuBefore = readCpu(children);
  const atStart = await count();
  const end = total * (1 - warmUpShare);
  await waitUntil('the end', async () => isOver() || (await count()) >= end, 2 * seconds * 1_000);
  const mined = (await count()) - atStart;
  const lasted = (performance.now() - startedAt) / 1_000;
  const cpuAfter = readCpu(children);
  await working;
  const cpuMs = Object.fromEntries(
    Object.entries(cpuAfter).map(([name, ms]) => [name, round((ms - (cpuBefore[name] ?? 0)) / mined)]),
  );
  return { mined, seconds: round(lasted), perSecond: round(mined / lasted), cpuMs };
}

/** What each process has used of a processor so far, in milliseconds. */
function readCpu(children: Running['children']): Record<string, number> {
  const { user, system } = process.cpuUsage();
  const used: Record<string, number> = { sender: (user + system) / 1_000 };
  for (const [name, { pid }] of children) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // In ticks of ten milliseconds: in user mode, and in the kernel.
    used[name] = 10 * (Number(fields[11]) + Number(fields[12]));
  }
  return used;
}

const round = (value: number) => Math.round(value * 10) / 10;

async function countMined({ reader, relayers }: ServiceStack): Promise<number> {
  const counts = await Promise.all(relayers.map((address) => reader.getTransactionCount({ address })));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Waits until nothing is under way, all is folded, and the relay knows how far the chain is. */
async function settle(stack: ServiceStack): Promise<void> {
  const open = `select 1 from service.transactions where state in ('accepted', 'signed', 'broadcast') limit 1`;
  await waitUntil('the outbox is done', async () => (await stack.pool.query(open)).rowCount === 0, 300_000);
  await stack.awaitFolded(300_000);
  const query = 'select sum(next_nonce)::int as sum from service.relayer_wallets';
  await waitUntil(
    'the counters are those of the chain',
    async () => {
      const { rows } = await stack.pool.query<{ sum: number }>(query);
      return rows[0]?.sum === (await countMined(stack));
    },
    60_000,
  );
}
