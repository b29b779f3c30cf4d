import assert from 'node:assert/strict';
import { ok } from '@oazapfts/runtime';
import {
  defaults,
  deployWithPermit,
  getAgreement,
  getAgreementState,
  listAgreementInputs,
  listAgreements,
  submitInput,
  validateDeployment,
} from './agreements.js';
import story from './story.json' with { type: 'json' };

/** What a caller writes with a client that was generated, and what the compiler knows of the answers. */
const { BASE_URL = '', API_KEY = '', CREATED = '' } = process.env;
defaults.baseUrl = BASE_URL;
defaults.headers = { 'X-API-Key': API_KEY };

const preflight = await validateDeployment(story.deployment);
assert.equal(Number(preflight.status), Number(CREATED));
const { variables } = (await ok(Promise.resolve(preflight))).data;
assert.equal(variables.depositCents, '5000');

const { signature, ...deployment } = story.signedDeployment;
const sent = await deployWithPermit({ ...deployment, signature: { ...signature, v: 27 } });
assert.equal(Number(sent.status), Number(CREATED), JSON.stringify(sent.data));
const { data: record, meta } = await ok(Promise.resolve(sent));
assert.equal(record.status, 'Deployed');
assert.equal(typeof meta.consistency, 'string');

const input = { ...story.signedInput, signature: { ...story.signedInput.signature, v: 27 as const } };
const moved = await submitInput(record.id, input, { idempotencyKey: 'once' });
assert.equal(Number(moved.status), Number(CREATED), JSON.stringify(moved.data));
const again = await submitInput(record.id, input, { idempotencyKey: 'once' });
assert.equal(Number(again.status), Number(CREATED));
const { data: submitted } = await ok(Promise.resolve(moved));
assert.match(submitted.txHash ?? '', /^0x/);

const reading = await getAgreement(record.id);
assert.equal(Number(reading.status), 200);
assert.equal((await ok(Promise.resolve(reading))).data.displayName, story.signedDeployment.displayName);
const { data: state } = await ok(getAgreementState(record.id, {}));
assert.equal(state.state, 'OFFERED');
const { data: inputs } = await ok(listAgreementInputs(record.id, { sortCreatedAt: 'asc', limit: 5 }));
assert.deepEqual(
  inputs.map(({ id }) => id),
  [submitted.id],
);
const page = await ok(listAgreements({ createdAtGte: '2020-01-01T00:00:00Z', limit: 1 }));
assert.equal(page.data[0]?.id, record.id);
assert.equal(page.pageInfo.nextCursor, null);

const unknown = await getAgreement('agr_unknown');
assert.equal(unknown.status, 404);
assert.equal(unknown.data.error.code, 'not_found');
console.log('deployed, moved, read and listed');
