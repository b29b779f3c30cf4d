import { expect, test } from 'vitest';
import type { AgentCall } from '../../../src/api/mcp/agentCall.ts';
import { handOutLink } from '../../../src/api/mcp/handOutLink.ts';
import { AccessError } from '../../../src/platform/errors/serviceError.ts';

const record = {
  ...{ id: 'agr_1', chainId: 1, displayName: 'Loan', status: 'Draft' },
  ...{ json: {}, variables: {}, participantAccess: 'none', docUri: '', contributors: [], participants: [] },
  ...{ observers: [], createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
};
const docHash = `0x${'22'.repeat(32)}`;
const failed = { ...record, onChain: { docHash, error: { reason: 'permit_expired', message: 'Too late.' } } };
const link = {
  ...{ id: 'lnk_1', agreementId: 'agr_1', may: 'sign', participant: 'lender', url: 'http://127.0.0.1/#x' },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-02T00:00:00.000Z', uses: [] },
};

function createCall(read: () => unknown) {
  const asked: string[] = [];
  const call: AgentCall = {
    principalId: 'prn_1',
    count: async () => {},
    async ask(operationId) {
      asked.push(operationId);
      return { data: operationId === 'getAgreement' ? read() : link, meta: {} };
    },
    reportFailure: () => {},
    canShowUrls: false,
    resumed: undefined,
  };
  return { call, asked };
}

const subject = { agreementId: 'agr_1', chainId: undefined, participant: 'lender' };
const sealer = { seal: () => '', open: () => Object({}) };
const handOut = (call: AgentCall) => handOutLink({ subject, expiresInSeconds: undefined }, { call, sealer });

test('no link to sign is made for an agreement that will not be deployed', async () => {
  const { call, asked } = createCall(() => failed);
  await expect(handOut(call)).rejects.toMatchObject({
    reason: 'not_deployed',
    message: 'The agreement will not be deployed, so nobody can sign it: Too late.',
  });
  expect(asked).toEqual(['getAgreement']);
});

test.each<[string, () => unknown]>([
  ['is on its way', () => ({ ...record, onChain: { docHash } })],
  [
    'may not be read with this key',
    () => {
      throw new AccessError('forbidden', 'This key may not read.');
    },
  ],
])('a link is made for an agreement that %s', async (_name, read) => {
  const { call, asked } = createCall(read);
  expect(await handOut(call)).toMatchObject({ data: { link: { id: 'lnk_1', url: link.url } } });
  expect(asked).toEqual(['getAgreement', 'createSigningLink']);
});
