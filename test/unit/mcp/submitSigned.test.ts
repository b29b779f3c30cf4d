import { expect, test } from 'vitest';
import type { AgentCall } from '../../../src/api/mcp/agentCall.ts';
import { submitSigned } from '../../../src/api/mcp/tools/submitSigned.ts';
import { ChainUnavailableError, RateLimitedError } from '../../../src/platform/errors/serviceError.ts';

const address = `0x${'11'.repeat(20)}`;
const record = {
  ...{ id: 'agr_1', address, chainId: 1, displayName: 'Ping pong', status: 'Deployed', state: 'PING' },
  ...{ json: {}, variables: {}, participantAccess: 'none', docUri: '', contributors: [], participants: [] },
  ...{ observers: [], createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  onChain: { docHash: `0x${'22'.repeat(32)}` },
};

const inputAt = (at: number) => ({
  ...{ id: `inp_${at}`, agreementId: 'agr_1', agreementAddress: address, chainId: 1, inputId: 'hit' },
  ...{ status: 'MINED', payload: '0x', values: {}, txHash: `0x${'33'.repeat(32)}` },
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(),
  updatedAt: '2026-01-02T00:00:00.000Z',
});

/** A service that lists the newest inputs first. */
function createCall(inputs: readonly ReturnType<typeof inputAt>[]): AgentCall {
  const listed = (query: Readonly<Record<string, string>>) =>
    inputs
      .filter(({ createdAt }) => createdAt >= (query['createdAt[gte]'] ?? ''))
      .filter(({ createdAt }) => createdAt <= (query['createdAt[lte]'] ?? '9'))
      .toReversed()
      .slice(0, Number(query.limit ?? 25));
  const answers: Record<string, (query: Readonly<Record<string, string>>) => unknown> = {
    submitInput: () => ({ ...inputs[0], status: 'PENDING', txHash: null }),
    getAgreementState: () => ({}),
    getAgreement: () => record,
    listAgreementInputs: listed,
  };
  return {
    principalId: 'prn_1',
    count: async () => {},
    ask: async (operationId, { query = {} } = {}) => ({ data: answers[operationId]?.(query), meta: {} }),
    reportFailure: () => {},
    canShowUrls: false,
    resumed: undefined,
  };
}

const signed = {
  ...{ purpose: 'input', agreementId: 'agr_1', inputId: 'hit', signer: address, deadline: 1 },
  signature: `0x${'11'.repeat(64)}1b`,
};

test('an input is found although many of its name have come since', async () => {
  const call = createCall(Array.from({ length: 120 }, (_, at) => inputAt(at)));
  expect(await submitSigned.run(signed, call)).toMatchObject({ data: { status: 'MINED' } });
});

test.each([
  ['used up', ['getAgreementState', 'getAgreement', 'listAgreementInputs'], 'PENDING'],
  ['used up after the wait', ['getAgreement', 'listAgreementInputs'], 'PENDING'],
  ['used up for the standing alone', ['getAgreement'], 'MINED'],
])('an accepted input is told of also if the reads are %s', async (_name, operations, status) => {
  const call = createCall([inputAt(0)]);
  const ask: AgentCall['ask'] = async (operationId, request) => {
    if (operations.includes(operationId))
      throw new RateLimitedError('Too many read requests.', { retryAfterSeconds: 1 });
    return call.ask(operationId, request);
  };
  const answer = await submitSigned.run(signed, { ...call, ask });
  expect(answer).toMatchObject({
    text: expect.stringContaining('cannot be read now: Too many read requests.'),
    data: { agreementId: 'agr_1', id: 'inp_0', status },
  });
  expect(answer).not.toHaveProperty('data.state');
});

test('an input that the chain does not show in time is on its way, with the standing before it', async () => {
  const call = createCall([inputAt(0)]);
  const ask: AgentCall['ask'] = async (operationId, request) => {
    if (operationId === 'getAgreementState') throw new ChainUnavailableError('Not indexed yet.');
    return call.ask(operationId, request);
  };
  expect(await submitSigned.run(signed, { ...call, ask })).toMatchObject({
    text: expect.stringContaining('on its way'),
    data: { id: 'inp_0', status: 'PENDING', state: 'PING' },
  });
});

test('an input whose waiting is refused is not said to be missing on the chain', async () => {
  const call = createCall([inputAt(0)]);
  const ask: AgentCall['ask'] = async (operationId, request) => {
    if (operationId === 'getAgreementState')
      throw new RateLimitedError('Too many read requests.', { retryAfterSeconds: 1 });
    return call.ask(operationId, request);
  };
  expect(await submitSigned.run(signed, { ...call, ask })).toMatchObject({
    text: 'The input is accepted as inp_0, and on its way: Too many read requests. Call read_agreement with consistency soon.',
    data: { id: 'inp_0', status: 'PENDING', state: 'PING' },
  });
});

test('an accepted input is told of also if a read fails by a defect, which the operator sees', async () => {
  const defect = new Error('a defect');
  const call = createCall([inputAt(0)]);
  const reported: unknown[] = [];
  const ask: AgentCall['ask'] = async (operationId, request) => {
    if (operationId === 'getAgreement') throw defect;
    return call.ask(operationId, request);
  };
  const reportFailure = (error: unknown) => void reported.push(error);
  expect(await submitSigned.run(signed, { ...call, ask, reportFailure })).toMatchObject({
    text: expect.stringContaining('cannot be read now: The service failed to answer.'),
    data: { id: 'inp_0', status: 'MINED' },
  });
  expect(reported).toEqual([defect]);
});
