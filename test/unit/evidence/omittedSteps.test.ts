import { expect, test } from 'vitest';
import { findEvidence } from '../../evidence/findEvidence.ts';
import { buildDepositedLease, layout, nonceSlot, submitter } from '../../evidence/handMade/depositedLease.ts';
import { encodeWord } from '../../evidence/handMade/sealChain.ts';
import { listHashes } from '../../evidence/listHashes.ts';

test('the verifier says that permits of unnamed accounts may be missing, for inputs that anybody may send', async () => {
  const text = await buildDepositedLease({
    alter({ storage }) {
      // Anybody may knock: the contract has accepted a permit of this account, which the file leaves out.
      storage.set(nonceSlot(submitter.address), encodeWord('0x1'));
    },
  });
  const found = await findEvidence(text, { trustedHashes: listHashes(text), layout });
  expect(found).toMatchObject({ level: 'anchored', storage: { accounts: { checked: 3, others: 0 } } });
  expect(found.notShown.join(' ')).toContain(
    'signed by an account that neither the steps nor the rules name',
  );
});
