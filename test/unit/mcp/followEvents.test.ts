import { expect, test } from 'vitest';
import type { AgentCall } from '../../../src/api/mcp/agentCall.ts';
import { followEvents } from '../../../src/api/mcp/tools/followEvents.ts';

const eventAt = (position: number, agreementId: string) => ({
  ...{ id: `evt_${position}`, type: 'agreement.transitioned', createdAt: '2026-01-01T00:00:00.000Z' },
  apiVersion: '2026-06-01',
  data: {
    ...{ agreementId, agreementName: 'Ping pong', chainId: 1, contractAddress: `0x${'11'.repeat(20)}` },
    ...{ inputId: 'hit', fromState: 'PING', toState: 'PONG', sequence: 1, variables: {} },
    ...{ txHash: `0x${'33'.repeat(32)}`, blockNumber: 1, templateId: 'ping' },
  },
});

/** A feed of other agreements' events, whose last event is of `agr_1`. */
function createCall(length: number): AgentCall {
  const events = Array.from({ length }, (_, at) => eventAt(at, at === length - 1 ? 'agr_1' : 'agr_2'));
  return {
    principalId: 'prn_1',
    count: async () => {},
    async ask(operationId, { query = {} } = {}) {
      if (operationId === 'getAgreement') return { data: { id: 'agr_1' }, meta: {} };
      const start = Number(query.after ?? 0);
      const data = events.slice(start, start + Number(query.limit));
      return { data, pageInfo: { nextCursor: String(start + data.length) }, meta: {} };
    },
    reportFailure: () => {},
    canShowUrls: false,
    resumed: undefined,
  };
}

test('a search that has not come to the end of the feed does not say that nothing is new', async () => {
  const call = createCall(700);
  const first = await followEvents.run({ agreementId: 'agr_1' }, call);
  expect(first).toMatchObject({
    text: expect.stringContaining('None of the 500 events read so far is of this agreement: call again'),
    data: { events: [], nextCursor: '500' },
  });
  const second = await followEvents.run({ agreementId: 'agr_1', after: '500' }, call);
  expect(second).toMatchObject({ data: { events: [{ id: 'evt_699' }] } });
  const end = await followEvents.run({ agreementId: 'agr_1', after: '700' }, call);
  expect(end).toMatchObject({
    text: '0 events, the oldest first. There are no newer events up to nextCursor.',
    data: { events: [], nextCursor: '700' },
  });
});
