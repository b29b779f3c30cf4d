import { expect, test } from 'vitest';
import { verifyEvidence } from '../../../src/protocol/evidence/verifyEvidence.ts';
import { askPython, hasPython } from '../../evidence/askPython.ts';
import { buildDepositedLease } from '../../evidence/handMade/depositedLease.ts';

test('a document with two names of one id is refused, as the factory would refuse it', async () => {
  const text = await buildDepositedLease({
    edit({ execution }) {
      Object.assign(execution.inputs, { 'odd\ud800': {}, 'odd\ufffd': {} });
    },
  });
  const refused = { ok: false, reason: 'replay_refused' };
  expect(await verifyEvidence(text)).toMatchObject({ ...refused, path: 'deployment' });
  if (hasPython) expect(await askPython([text])).toMatchObject([refused]);
});
