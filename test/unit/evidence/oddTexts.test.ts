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

test('a text that is not well-formed is refused: on the chain it would have the bytes of another', async () => {
  const text = await buildDepositedLease({
    edit({ metadata }) {
      metadata.id = 'odd\ud800';
    },
  });
  const refused = { ok: false, reason: 'bad_format', path: 'agreement.docUri' };
  expect(await verifyEvidence(text)).toMatchObject(refused);
  if (hasPython) expect(await askPython([text])).toMatchObject([{ ok: false, reason: 'bad_format' }]);
});
