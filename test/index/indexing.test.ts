import pg from 'pg';
import { type Address, getAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catchUp, type Indexer, startIndexer, waitForHead } from '../support/indexer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { buildContent, id, submission } from './support/agreements.ts';
import { expectIndexEqualsChain } from './support/expectIndex.ts';
import { type Row, readIndexRows } from './support/indexRows.ts';
import {
  deployInEveryWay,
  hostileCreation,
  hostileDocUri,
  hostileText,
  type Scenario,
  salts,
  submitHostileText,
  submitInEveryWay,
} from './support/scenario.ts';
import { startTestChain, type TestChain } from './support/testChain.ts';

/** More than Ponder's finality on any of these chains: Ponder reads earlier blocks as history, not live. */
const pastBlocks = 70;

let database: TestDatabase;
let linea: TestChain;
let sepolia: TestChain;
let base: TestChain;
let chains: TestChain[];
let indexer: Indexer;
/** The events on each chain before the indexer's first start, and after it. */
const past = new Map<TestChain, Scenario>();
const live = new Map<TestChain, Scenario>();

beforeAll(async () => {
  database = await createTestDatabase();
  chains = [linea, sepolia, base] = await Promise.all([
    startTestChain(59141),
    startTestChain(11155111),
    startTestChain(84532),
  ]);
  await Promise.all(
    chains.map(async (chain) => {
      past.set(chain, await play(chain, 0n));
      await chain.client.mine({ blocks: pastBlocks });
    }),
  );
  indexer = await startIndexer({ databaseUrl: database.url, chains });
  await indexer.ready();
  await catchUp(database.url, chains);
  await Promise.all(
    chains.map(async (chain) => {
      live.set(chain, await play(chain, 1n));
      await submitInEveryWay(chain, scenarioOf(chain, past), 1n);
      await waitForHead(database.url, chain.chainId, await chain.latestHash());
    }),
  );
});

afterAll(async () => {
  await indexer?.stop();
  await Promise.all(chains?.map((chain) => chain.stop()) ?? []);
  await database?.drop();
});

async function play(chain: TestChain, round: bigint): Promise<Scenario> {
  const scenario = await deployInEveryWay(chain, round);
  await submitInEveryWay(chain, scenario, 0n);
  await submitHostileText(chain, scenario.permitted);
  await chain.send(hostileCreation(chain));
  return scenario;
}

function scenarioOf(chain: TestChain, scenarios: Map<TestChain, Scenario>): Scenario {
  const scenario = scenarios.get(chain);
  if (!scenario) throw new Error('nothing happened on this chain');
  return scenario;
}

const rowsOf = (chain: TestChain) => readIndexRows(database.url, chain.chainId);
const isOf = (address: Address) => (row: Row) => row.agreement === address.toLowerCase();

test.for([59141, 11155111, 84532])(
  'every field of every event of chain %i is in the index, whether it was read from the past or live',
  async (chainId) => {
    const chain = chains.find((candidate) => candidate.chainId === chainId) ?? linea;
    const { agreements, inputs } = await rowsOf(chain);
    expect(agreements.length).toBe(16);
    expect(inputs.length).toBeGreaterThan(30);
    await expectIndexEqualsChain(database.url, chain);
  },
);

test('the state of each agreement is the one that its contract is in', async () => {
  for (const chain of chains) {
    for (const { address, current_state } of (await rowsOf(chain)).agreements) {
      expect(current_state).toBe(await chain.readState(getAddress(String(address))));
    }
  }
});

test('agreements at one address on two chains are two agreements', async () => {
  const { direct } = scenarioOf(sepolia, past);
  expect(scenarioOf(base, past).direct).toBe(direct);
  const countInputs = async (chain: TestChain) => (await rowsOf(chain)).inputs.filter(isOf(direct)).length;
  const [before, beforeElsewhere] = [await countInputs(sepolia), await countInputs(base)];
  await sepolia.send(submission(direct, 'note'));
  await waitForHead(database.url, sepolia.chainId, await sepolia.latestHash());
  expect(await countInputs(sepolia)).toBe(before + 1);
  expect(await countInputs(base)).toBe(beforeElsewhere);
});

test('a direct call of the factory shows the definition of its agreement', async () => {
  for (const { direct, permitted } of [scenarioOf(linea, past), scenarioOf(linea, live)]) {
    const { definitions } = await rowsOf(linea);
    const { inputDefs, transitions, initVars } = buildContent();
    expect(definitions.find(isOf(direct))).toEqual({
      chain_id: linea.chainId,
      agreement: direct.toLowerCase(),
      function_name: 'createAgreement',
      salt: null,
      input_defs: inputDefs,
      transitions,
      init_vars: initVars,
    });
    expect(definitions.find(isOf(permitted))).toMatchObject({ function_name: 'createAgreementWithPermit' });
  }
  const salted = (await rowsOf(linea)).definitions.filter(({ salt }) => salt !== null);
  expect(salted.map(({ salt, function_name }) => ({ salt, function_name }))).toEqual(
    expect.arrayContaining([
      { salt: salts.past.direct, function_name: 'createAgreementDeterministic' },
      { salt: salts.live.direct, function_name: 'createAgreementDeterministic' },
    ]),
  );
});

test('a factory that was called by another contract leaves no definition', async () => {
  const { definitions, agreements } = await rowsOf(linea);
  for (const { forwarded, one, two } of [scenarioOf(linea, past), scenarioOf(linea, live)]) {
    for (const address of [forwarded, one, two]) {
      expect(agreements.some((row) => row.address === address.toLowerCase())).toBe(true);
      expect(definitions.some(isOf(address))).toBe(false);
    }
  }
});

test('an input through another contract shows that contract, and not who is behind it, as submitter', async () => {
  const { direct } = scenarioOf(linea, past);
  const inputs = (await rowsOf(linea)).inputs.filter(isOf(direct));
  const forwarder = linea.forwarder.toLowerCase();
  expect(
    inputs.slice(0, 4).map(({ transaction_to, permit_submitter }) => [transaction_to, permit_submitter]),
  ).toEqual([
    [direct.toLowerCase(), null],
    [forwarder, null],
    [direct.toLowerCase(), linea.accounts.submitter.address.toLowerCase()],
    [forwarder, forwarder],
  ]);
});

test('inputs of one agreement in one transaction are counted, those of others are not', async () => {
  const { one, two } = scenarioOf(linea, live);
  const { inputs } = await rowsOf(linea);
  const ordinals = (agreement: Address) =>
    inputs.filter(isOf(agreement)).map((row) => row.transaction_ordinal);
  expect(ordinals(one)).toEqual([0, 1, 2, 0]);
  expect(ordinals(two)).toEqual([0, 0]);
});

test('a docUri that is no text is kept as its bytes too', async () => {
  const { agreements } = await rowsOf(linea);
  const uris = agreements.map(({ doc_uri, doc_uri_bytes }) => ({ doc_uri, doc_uri_bytes }));
  expect(uris.filter(({ doc_uri_bytes }) => doc_uri_bytes !== null)).toEqual(
    Array.from({ length: 2 }, () => ({ doc_uri: 'uri\ufffd\ufffd', doc_uri_bytes: hostileDocUri })),
  );
});

test('the fields of a payload are decoded as far as they can be, whatever they hold', async () => {
  for (const { permitted } of [scenarioOf(linea, past), scenarioOf(linea, live)]) {
    const inputs = (await rowsOf(linea)).inputs.filter(isOf(permitted));
    const fields = inputs.map((row) => JSON.parse(String(row.fields)));
    const word = (digit: string) => digit.repeat(64);
    expect(fields).toMatchObject([
      [
        { id: id('text'), fType: 1, value: hostileText.replace('\u0000', '\ufffd') },
        { id: id('bytes'), fType: 1, value: null },
        { id: id('number'), fType: 0, value: (2n ** 256n - 1n).toString(), data: `0x${word('f')}` },
      ],
      [{ id: id('number'), fType: 0, value: null, data: '0x01' }],
    ]);
  }
});

test('operators query the index by GraphQL at the server of the indexer', async () => {
  const query = '{ agreements(where: {chainId: 84532}) { totalCount items { currentState } } }';
  const response = await fetch(`${indexer.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  expect(await response.json()).toMatchObject({ data: { agreements: { totalCount: 16 } } });
});

test('a rebuilt index takes the place of the one that was served, which serves until then', async () => {
  const before = await Promise.all(chains.map(rowsOf));
  const served = await readServedSchema();
  // Another start block makes another index. Block 0 holds no event, so both indexes have the same rows.
  const env = Object.fromEntries(chains.map(({ chainId }) => [`START_BLOCK_${chainId}`, '1']));
  const rebuilding = await startIndexer({ databaseUrl: database.url, chains, env });
  try {
    expect(await readServedSchema()).toBe(served);
    await rebuilding.ready();
    expect(await readServedSchema()).not.toBe(served);
    await indexer.stop();
    await catchUp(database.url, chains);
    expect(await Promise.all(chains.map(rowsOf))).toEqual(before);
  } finally {
    await rebuilding.stop();
  }
});

async function readServedSchema(): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select substring(definition from 'FROM (chain_index_[0-9a-f]+)') as schema
       from pg_views where schemaname = 'chain_index' and viewname = 'agreements'`,
    );
    return rows[0]?.schema;
  } finally {
    await client.end();
  }
}
