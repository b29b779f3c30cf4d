import { expect, test } from 'vitest';
import { describeReadiness } from '../../../src/platform/operations/describeReadiness.ts';

test('a node of another chain is named, and the process stays ready', () => {
  const readiness = {
    isReady: true,
    checks: { database: true, migrations: true, index: true, current: true, running: true },
    reasons: [],
    degraded: [],
    chains: [],
  };
  const facts = { blockNumber: null, behindBlocks: 0, restsForMs: 30_000, failuresInARow: 0 };
  const requests = { answered: 1, failed: 0, limited: 0 };
  const endpoint = {
    chainId: 59_141,
    host: 'node.example',
    status: 'otherChain',
    requests,
    ...facts,
  } as const;
  expect(describeReadiness(readiness, [endpoint], 0)).toMatchObject({
    status: 'ready',
    degraded: ['chain 59141: its node node.example belongs to another chain and is not used'],
    endpoints: [{ status: 'otherChain', restsForSeconds: 30 }],
  });
});
