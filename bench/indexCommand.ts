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
import { findProgram } from '../src/cli/build/builtPrograms.ts';
import { startAnvil } from '../src/cli/devtools/anvil.ts';
import { findFreePort } from '../src/cli/devtools/freePort.ts';
import { startPostgres } from '../src/cli/devtools/postgres.ts';
import { compileAgreement, encodeInputPayload, findChain, nameHash } from '../src/protocol/index.ts';
import { pingPong } from './pingPong.ts';
import { readProcessorSeconds } from './processorTime.ts';
import { startProgram } from './read/startProgram.ts';
import { signInputs } from './relayCalls.ts';

export type IndexCommand = { events: number };

/** A program's time from its start until it was live, and its processor time. */
type Backfill = { events: number; seconds: number; processorSeconds: number };
/** Of two runs together. */
type Backfills = Backfill & { perSecond: number };
export type IndexResult = { options: IndexCommand; service: Backfills; bare: Backfills };
/** A program, and the query that counts its indexed events: accepted inputs and permits. */
type Subject = { entry: string; env: Readonly<Record<string, string>>; countEvents: string };

const chainId = 59141;
const batch = 250;
const blocksToFinality = 100;
/** The number of agreements that share the inputs. */
const agreements = 10;
/**
 * Permits of each signer in each agreement. An input with a permit is two events; the inputs without a permit
 * give as many events.
 */
const permits = 50;

/**
 * Measures how fast an existing chain is indexed, from the program's start until it is live, compared with a
 * bare Ponder with the same sources and one insert per event. Both read the same Anvil and write to the same
 * PostgreSQL, each into its own schemas, and each twice, so that the order does not decide.
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
    console.error(`sending inputs of ${options.events} events`);
    const events = await sendInputs(anvil.rpcUrl, options.events);

    const bare: Subject = {
      entry: 'bench/bareIndexer/start.ts',
      env: { BENCH_RPC_URL: anvil.rpcUrl },
      countEvents: `select (select count(*) from bare_index.acceptances) + (select count(*) from bare_index.permissions)`,
    };
    const service: Subject = {
      entry: findProgram('indexer'),
      env: {
        CHAINS: String(chainId),
        [`RPC_URL_${chainId}`]: anvil.rpcUrl,
        [`START_BLOCK_${chainId}`]: '0',
      },
      countEvents: 'select count(*) + count(permit_signer) from chain_index.inputs',
    };
    const runs: { subject: Subject; run: Backfill }[] = [];
    for (const subject of [bare, service, service, bare])
      runs.push({ subject, run: await backfill(server.localUrl, subject, events) });
    const both = (wanted: Subject) =>
      addUp(runs.flatMap(({ subject, run }) => (subject === wanted ? [run] : [])));
    const result = { options, service: both(service), bare: both(bare) };
    print(result);
    return result;
  } finally {
    for (const close of closings.reverse()) await close();
  }
}

async function backfill(
  databaseUrl: string,
  { entry, env, countEvents }: Subject,
  expected: number,
): Promise<Backfill> {
  const port = await findFreePort();
  const startedAt = performance.now();
  const program = await startProgram({
    entry,
    env: { DATABASE_URL: databaseUrl, INDEXER_PORT: String(port), ...env },
    url: `http://127.0.0.1:${port}/ready`,
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const processorSeconds = readProcessorSeconds(program.pid);
  await program.stop();
  const events = await forgetIndex(databaseUrl, countEvents);
  if (events !== expected) throw new Error(`${entry} has ${events} of ${expected} events`);
  console.error(`${entry}: ${seconds.toFixed(1)} s`);
  return { events, seconds, processorSeconds };
}

function addUp(runs: readonly Backfill[]): Backfills {
  const sum = (of: (run: Backfill) => number) => runs.reduce((total, run) => total + of(run), 0);
  const [events, seconds] = [sum((run) => run.events), sum((run) => run.seconds)];
  return {
    events,
    seconds,
    processorSeconds: sum((run) => run.processorSeconds),
    perSecond: events / seconds,
  };
}

/** Deploys agreements and submits inputs to them, many in a block. Returns the number of events. */
async function sendInputs(rpcUrl: string, wanted: number): Promise<number> {
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
  const permitted = await signInputs(
    addresses.map((address) => ({ id: '', address })),
    { chainId, count: Math.round(wanted / 4), nonces: permits },
  );
  const calls = permitted.flatMap((call, at) => {
    const to = addresses[at % agreements] ?? factory;
    return [call, { to, data }, { to, data }];
  });
  for (let sent = 0; sent < calls.length; sent += batch) {
    const sends = calls
      .slice(sent, sent + batch)
      .map(({ to, data }) =>
        client.sendTransaction({ account, chain: null, to, data, gas: 300_000n, nonce: nonce++ }),
      );
    await Promise.all(sends);
    await client.mine({ blocks: 1 });
  }
  // A backfill ends at the last block that Ponder considers final; later blocks are live.
  await client.mine({ blocks: blocksToFinality });
  return calls.length + permitted.length;
}

/**
 * Counts the indexed events and deletes all of them. Also deletes Ponder's cache of the chain, which Ponder
 * would reuse for every index in the database. The next run starts from nothing.
 */
async function forgetIndex(url: string, countEvents: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<[string]>({ text: countEvents, rowMode: 'array' });
    const schemas = await client.query<{ name: string }>(
      `select schema_name as name from information_schema.schemata
       where schema_name = 'ponder_sync' or schema_name ~ '^(bare|chain)_'`,
    );
    for (const { name } of schemas.rows) await client.query(`drop schema ${name} cascade`);
    return Number(rows[0]?.[0]);
  } finally {
    await client.end();
  }
}

function print({ options, service, bare }: IndexResult): void {
  console.log(
    `${options.events} events of inputs, half of them with permits, to ${agreements} agreements, ${batch} inputs a block; two runs each, from the start until live`,
  );
  for (const [name, { seconds, perSecond, processorSeconds }] of Object.entries({ service, bare }))
    console.log(
      `${name.padEnd(8)} ${seconds.toFixed(1)} s, ${Math.round(perSecond)} a second, ${processorSeconds.toFixed(1)} s of a processor`,
    );
  console.log(
    `the service has ${Math.round((100 * service.perSecond) / bare.perSecond)} % of the bare app's rate`,
  );
}
