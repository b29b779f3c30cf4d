import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AgreementsClient } from '../../../client/src/agreementsClient.ts';
import { explainError } from '../../../client/src/cli/explainError.ts';
import { ApiError } from '../../../client/src/errors.ts';

type Refusal = { status: number; reason?: string; issue?: string; supportedChainIds?: number[] };
const linesOf = ({ status, reason, issue, ...facts }: Refusal) => {
  const issues = issue === undefined ? [] : [{ path: issue, message: 'is missing' }];
  const details = { ...(reason && { reason }), ...facts, issues };
  return explainError(new ApiError('No.', { status, code: 'refused', requestId: 'req_1', details })).lines;
};

test.each([
  [{ status: 401 }, 'agreements login'],
  [{ status: 400, reason: 'invalid_values', issue: 'initValues.owner' }, '--participant variable=address'],
  [{ status: 400, reason: 'schema_mismatch', issue: 'values.note' }, '--value field=value'],
  [
    { status: 400, reason: 'unsupported_chain', supportedChainIds: [59141, 84532] },
    'the chains of this service are 59141, 84532',
  ],
])('%o says what to do at the command line', (refusal, remedy) => {
  expect(linesOf(refusal)).toContainEqual(expect.stringContaining(remedy));
});

test('a refusal that no option mends suggests none', () => {
  const lines = linesOf({ status: 400, reason: 'stale_nonce', issue: 'nonce' });
  expect(lines.filter((line) => line.includes('--'))).toEqual([]);
});

test.each([
  ['wrong use of the client', () => new AgreementsClient({ baseUrl: 'ftp://x' })],
  ['a file that cannot be written', () => writeFileSync('/nowhere/evidence.json', '')],
])('%s is an error of usage, not a refusal of the service', (_, run) => {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  expect(explainError(thrown).exitCode).toBe(2);
});
