import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordShape } from '../../src/api/shapes/resources.ts';
import { recordSimulationShape } from '../../src/api/shapes/simulationShapes.ts';
import { encodeDataFields } from '../../src/protocol/index.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type DirectDeployment, deployDirectly, submitDirectly } from './support/directDeployment.ts';
import { reference } from './support/documents.ts';
import { type IndexedService, startIndexedService } from './support/indexedService.ts';
import { outcome } from './support/outcome.ts';
import { createAccount } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import type { TestPrincipal } from './support/testService.ts';

let setting: IndexedService;
let principal: TestPrincipal;
let owner: Address;
const stranger = createAccount().address;
beforeAll(async () => {
  setting = await startIndexedService({ CONSISTENCY_WAIT_MS: '120000', DEPLOY_WAIT_MS: '120000' });
  principal = await setting.service.createPrincipal();
  owner = setting.chain.relayer;
});
afterAll(() => setting?.close());

const begin = { issuer: reference('owner'), data: {} };
const wallet = { type: 'address', subtype: 'participant', validation: { required: true } };

/** A document whose action needs a text that the contract does not hold. */
function buildWatch(appoint: object) {
  return {
    metadata: { templateId: 'did:template:watch', name: `Watch ${crypto.randomUUID()}` },
    variables: { owner: wallet, keeper: { type: 'address' }, memo: { type: 'string' } },
    content: { type: 'md', data: '' },
    execution: {
      initialize: { initialState: 'OPEN', data: { owner: reference('owner') } },
      states: { OPEN: {}, BEGUN: {}, RUNG: {} },
      inputs: { begin, appoint, inspect: { issuer: reference('keeper'), data: {} }, ring: { data: {} } },
      transitions: [
        ...['appoint', 'inspect'].map((input) => ({ from: 'OPEN', to: 'OPEN', conditions: [{ input }] })),
        { from: 'OPEN', to: 'BEGUN', conditions: [{ input: 'begin' }] },
        { from: 'OPEN', to: 'RUNG', conditions: [{ input: 'ring' }] },
      ],
      actions: [
        {
          when: { from: 'OPEN', input: 'ring' },
          call: {
            type: 'evmCall',
            target: setting.chain.token,
            abi: [{ type: 'function', name: 'note', inputs: [{ name: 'text', type: 'string' }] }],
            method: 'note',
            args: [reference('memo')],
          },
        },
      ],
    },
  };
}

const keeperField = { keeper: reference('keeper') };
const appointWithData = { issuer: reference('owner'), data: keeperField };
const appointWithSchema = { issuer: reference('owner'), schema: keeperField };

/** Deploys a watch elsewhere and adopts it. */
async function adopt({
  appoint = appointWithData,
  participants,
  ...options
}: Pick<DirectDeployment, 'isIndirect' | 'readAs'> & { appoint?: object; participants?: object[] } = {}) {
  const agreement = buildWatch(appoint);
  const values = { owner, memo: 'hello' };
  const address = await deployDirectly(setting.chain, { agreement, values, ...options });
  const body = { chainId, address, agreement, displayName: 'Watch', participants };
  const answer = await principal.call('POST', '/v0/agreements/import', { body });
  const { id } = recordShape.parse(answer.body.data);
  const ask = (steps: object[]) =>
    principal.call('POST', `/v0/agreements/${id}/simulate`, { body: { steps } });
  return {
    id,
    ask,
    simulate: async (...steps: object[]) =>
      recordSimulationShape.strict().parse((await ask(steps)).body.data).steps,
    submit: (inputId: string, inputValues: Record<string, unknown>) =>
      submitDirectly(setting.chain, { from: owner, to: address, agreement, inputId, values: inputValues }),
  };
}

/** The payload of an appointment without a keeper; bytes behind the fields are ignored. */
const padded: Hex = `${encodeDataFields([])}${'00'.repeat(140_000)}`;

const step = (inputId: string, by: string, values: object = {}) => ({ inputId, by, values });
/** In the form of an outcome. */
const ring = {
  type: 'action',
  value: '0',
  data: expect.stringContaining(Buffer.from('hello').toString('hex')),
};

describe('an adopted agreement is simulated', () => {
  test("by the chain's definitions, which may have no fields where the document has some", async () => {
    const { simulate, submit } = await adopt({
      appoint: appointWithSchema,
      readAs: buildWatch({ issuer: reference('owner'), data: {} }),
    });
    const appoint = step('appoint', 'owner', { keeper: owner });
    const steps = await simulate(appoint, step('inspect', owner));
    expect(steps).toMatchObject([
      { outcome: 'accepted', stored: {}, variables: { keeper: owner } },
      { outcome: 'refused', refusal: { reason: 'issuer_not_allowed' } },
    ]);
    await submit('appoint', { keeper: owner });
    await expect(submit('inspect', {})).rejects.toThrow();
  });

  test("with the chain's initial variables and actions, whatever the document's actions need", async () => {
    const { simulate } = await adopt();
    expect(await simulate(step('begin', stranger), step('begin', owner))).toMatchObject([
      { outcome: 'refused', refusal: { reason: 'issuer_not_allowed' } },
      { outcome: 'accepted', toState: 'BEGUN' },
    ]);
    expect(await simulate(step('ring', stranger))).toMatchObject([
      { outcome: 'accepted', toState: 'RUNG', external: [{ ...ring, address: setting.chain.token }] },
    ]);
  });

  test('without believing the participants where its creation cannot be read', async () => {
    const { simulate } = await adopt({
      isIndirect: true,
      participants: [{ variableKey: 'owner', walletAddress: stranger }],
    });
    expect(await simulate(step('begin', 'owner'), step('begin', owner))).toMatchObject([
      { outcome: 'undecided', by: stranger, refusal: { reason: 'unknown_variable' } },
      { outcome: 'undecided', by: owner, refusal: { reason: 'unknown_variable' } },
    ]);
    expect(await simulate(step('ring', stranger))).toMatchObject([
      { outcome: 'accepted', external: [{ ...ring, address: setting.chain.token }] },
    ]);
    expect(await simulate(step('inspect', owner))).toMatchObject([
      { outcome: 'refused', refusal: { reason: 'issuer_not_allowed' } },
    ]);
  });

  test('with unknown values if the inputs that may have stored them are too long together', async () => {
    const { id, simulate, submit } = await adopt();
    await submit('appoint', { keeper: owner });
    await waitUntil('the appointment is folded', async () => (await countInputs(id)) === 1);
    const inspect = () => simulate(step('inspect', owner));
    expect(await inspect()).toMatchObject([{ outcome: 'accepted' }]);
    await addInputs(id, { count: 7, payload: padded });
    expect(await inspect()).toMatchObject([{ outcome: 'accepted' }]);
    await addInputs(id, { count: 1, payload: padded });
    expect(await inspect()).toMatchObject([
      { outcome: 'undecided', refusal: { reason: 'unknown_variable' } },
    ]);
  });

  test('only while the index shows its creation', async () => {
    const { id, ask } = await adopt();
    const { pool } = setting.service.handle;
    await pool.query('update service.records set deploy_tx_hash = $2 where id = $1', [
      id,
      `0x${'1'.repeat(64)}`,
    ]);
    const answer = await ask([step('ring', stranger)]);
    expect(outcome(answer)).toMatchObject({ status: 503, code: 'chain_unavailable' });
    expect(answer.headers.get('retry-after')).toBeTruthy();
  });
});

async function countInputs(id: string): Promise<number | undefined> {
  const { rows } = await setting.service.handle.pool.query<{ count: number }>(
    'select input_count as count from service.records where id = $1',
    [id],
  );
  return rows[0]?.count;
}

/** Adds appointments that the record would have folded. */
async function addInputs(id: string, { count, payload }: { count: number; payload: Hex }): Promise<void> {
  await setting.service.handle.pool.query(
    `with grown as (update service.records set input_count = input_count + $2::int where id = $1 returning *)
     insert into service.inputs (id, record_id, chain_id, agreement_address, input_id, status, payload, "values", position)
     select gen_random_uuid(), id, chain_id, address, 'appoint', 'MINED', $3, '{}', input_count - $2::int + number
     from grown, generate_series(1, $2::int) as number`,
    [id, count, payload],
  );
}
