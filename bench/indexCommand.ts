import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Address, createTestClient, encodeFunctionData, http, publicActions, walletActions } from 'viem';
import { agreementEngineAbi } from '../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../abis/AgreementFactory.ts';
import { awaitReceipt } from '../contracts-test/awaitReceipt.ts';
import { deployProtocol } from '../contracts-test/deploy.ts';
import { startAnvil } from '../src/api/dev/anvil.ts';
import { findFreePort } from '../src/api/dev/freePort.ts';
import { startPostgres } from '../src/api/dev/postgres.ts';
import { compileAgreement, encodeInputPayload, findChain, nameHash } from '../src/protocol/index.ts';
import { pingPong } from './pingPong.ts';
import { readProcessorSeconds } from './processorTime.ts';
import { startProgram } from './read/startProgram.ts';

export type IndexCommand = { events: number };

/** How long one program took from its start until it was live, and what it took of a processor for that. */
type Backfill = { seconds: number; perSecond: number; processorSeconds: number; events: number };
export type IndexResult = { options: IndexCommand; service: Backfill; bare: Backfill };

const chainId = 59141;
const batch = 250;
const blocksToFinality = 100;
/** So many agreements share the inputs. */
const agreements = 10;

/**
 * Measures how fast a chain that is there already is indexed, from the start of the program until it is live, beside a bare
 * Ponder with the same sources and one insert for each event. Both read the same Anvil and write to the same PostgreSQL, in turn and
 * each into schemas of its own.
 */
export async function runIndexBenchmark(options: IndexCommand): Promise<IndexResult> {
  const closings: (() => Promise<unknown>)[] = [];
  try {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'agreements-bench-'));
    closings.push(() => rm(dataDirectory, { recursive: true }));
    const server = await startPostgres({ dataDirectory });
    closings.push(server.stop);
    const anvil = await startAnvil({ chainId });
    closings.push(anvil.stop);
    console.error(`sending ${options.events} inputs`);
    await sendInputs(anvil.rpcUrl, options.events);

    const backfill = async (entry: string, rows: string, env: Record<string, string>): Promise<Backfill> => {
      const port = await findFreePort();
      const startedAt = performance.now();
      const program = await startProgram({
        entry,
        env: { DATABASE_URL: server.url, INDEXER_PORT: String(port), ...env },
        url: `http://127.0.0.1:${port}/ready`,
      });
      const seconds = (performance.now() - startedAt) / 1_000;
      const processorSeconds = readProcessorSeconds(program.pid);
      await program.stop();
      const events = await countRows(server.url, rows);
      if (events !== options.events) throw new Error(`${entry} has ${events} of ${options.events} inputs`);
      await forgetChain(server.url);
      return { seconds, perSecond: events / seconds, processorSeconds, events };
    };
    const bare = await backfill('bench/bareIndexer/start.ts', 'bare_index.acceptances', {
      BENCH_RPC_URL: anvil.rpcUrl,
    });
    const service = await backfill('src/api/start/indexer.ts', 'chain_index.inputs', {
      CHAINS: String(chainId),
      [`RPC_URL_${chainId}`]: anvil.rpcUrl,
      [`START_BLOCK_${chainId}`]: '0',
    });
    const result = { options, service, bare };
    print(result);
    return result;
  } finally {
    for (const close of closings.reverse()) await close();
  }
}

/** Deploys agreements and submits inputs to them, many in a block. */
async function sendInputs(rpcUrl: string, events: number): Promise<void> {
  const chain = findChain(chainId);
  if (!chain) throw new Error(`${chainId} is not supported`);
  const { factory, implementation } = chain;
  await deployProtocol({ rpcUrl, chainId, factory, implementation });
  const client = createTestClient({
    mode: 'anvil',
    transport: http(rpcUrl, { timeout: 60_000 }),
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
  const [account] = await client.getAddresses();
  if (!account) throw new Error('the chain has no account');
  const addresses: Address[] = [];
  for (let number = 0; number < agreements; number++) {
    const p = compileAgreement(pingPong, { docUri: `x:${randomUUID()}` });
    const { request, result } = await client.simulateContract({
      account,
      address: factory,
      abi: agreementFactoryAbi,
      functionName: 'createAgreement',
      args: [
        p.docUri,
        p.docHash,
        p.initialState,
        p.inputDefs,
        p.transitions,
        p.initVars,
        p.verifiers,
        p.actions,
      ],
    });
    await awaitReceipt(client, await client.writeContract({ ...request, chain: null }));
    addresses.push(result);
  }
  const payload = encodeInputPayload(pingPong, 'hit', {
    note: 'a note of some length, as people write them',
  });
  const data = encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInput',
    args: [nameHash('hit'), payload],
  });
  await client.setAutomine(false);
  await client.setBlockGasLimit({ gasLimit: 1_000_000_000n });
  let nonce = await client.getTransactionCount({ address: account });
  for (let sent = 0; sent < events; ) {
    const count = Math.min(batch, events - sent);
    const sends = Array.from({ length: count }, (_, at) =>
      client.sendTransaction({
        account,
        chain: null,
        to: addresses[(sent + at) % agreements] ?? factory,
        data,
        gas: 300_000n,
        nonce: nonce++,
      }),
    );
    await Promise.all(sends);
    await client.mine({ blocks: 1 });
    sent += count;
  }
  // A backfill ends at the last block that Ponder takes for final; what comes after it is live.
  await client.mine({ blocks: blocksToFinality });
}

/** Ponder keeps what it has read of a chain for every index in the database: whoever comes second would read nothing. */
async function forgetChain(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('drop schema ponder_sync cascade');
  } finally {
    await client.end();
  }
}

async function countRows(url: string, table: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

function print({ options, service, bare }: IndexResult): void {
  console.log(
    `${options.events} inputs of ${agreements} agreements, ${batch} a block, from the start until live`,
  );
  for (const [name, { seconds, perSecond, processorSeconds }] of Object.entries({ service, bare }))
    console.log(
      `${name.padEnd(8)} ${seconds.toFixed(1)} s, ${Math.round(perSecond)} a second, ${processorSeconds.toFixed(1)} s of a processor`,
    );
  console.log(
    `the service has ${Math.round((100 * service.perSecond) / bare.perSecond)} % of the bare app's rate`,
  );
}
