import { type Hex, numberToHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { ownPlaceOfNonces } from '../../../src/protocol/evidence/evidenceState.ts';
import { type VerifyOptions, verifyEvidence } from '../../../src/protocol/evidence/verifyEvidence.ts';
import { askPython, hasPython } from '../../evidence/askPython.ts';
import { readObject, write } from '../../evidence/editJson.ts';
import { findEvidence } from '../../evidence/findEvidence.ts';
import { dropInput } from '../../evidence/forgeFiles.ts';
import {
  buildDepositedLease,
  buildLeaseChain,
  landlord,
  layout,
  tenant,
} from '../../evidence/handMade/depositedLease.ts';
import { reproveState } from '../../evidence/handMade/reproveState.ts';

const complete = 'no permit of theirs was left out';
const slots = '3,4,5,6';

/** What both verifiers say of the storage; the texts of the first. */
async function findStorage(text: string, options: VerifyOptions = {}) {
  const { established, trusted, notShown, storage } = await findEvidence(text, options);
  if (hasPython) {
    const [python] = await askPython([text], ...(options.layout ? ['--trust-layout', slots] : []));
    expect(python?.storage).toBe(
      storage === null
        ? 'not shown'
        : storage.isLayoutKnown
          ? 'shown'
          : 'shown if the layout in the file is right',
    );
  }
  return { established: established.join(' '), trusted: trusted.join(' '), notShown: notShown.join(' ') };
}

describe('what the storage shows', () => {
  test('is trusted and not established as long as only the file names its layout', async () => {
    const said = await findStorage(await buildDepositedLease());
    expect(said.established).not.toContain(complete);
    expect(said.trusted).toContain(
      'slots 3 for the text’s hash, 4 and 5 for the first and the last state, 6',
    );
    expect(said.trusted).toContain(`If the engine uses these places, this is proved: At block 103`);
    expect(said.trusted).toContain(complete);
  });

  test('is established by a layout that the reader knows', async () => {
    const said = await findStorage(await buildDepositedLease(), { layout });
    expect(said.established).toContain(complete);
    expect(said.trusted).not.toContain('slots');
  });

  test.each<[string, Hex]>([
    ['at an unused slot', numberToHex(60, { size: 32 })],
    ['at OpenZeppelin’s own slot', ownPlaceOfNonces],
  ])('establishes nothing about a dropped permit where the file reads the nonces %s', async (_, nonces) => {
    const { text, chain } = await buildLeaseChain();
    const file = readObject(text);
    dropInput(file, 1);
    await reproveState(file, chain, { signers: [landlord.address, tenant.address], nonces });
    const forged = write(file);
    const said = await findStorage(forged);
    expect(said.established).not.toContain(complete);
    expect(said.trusted).toContain('a wrong place can hide permits that were left out');
    expect(await verifyEvidence(forged, { layout })).toMatchObject({
      ...{ ok: false, reason: 'state_proof_invalid', path: 'state.layout' },
    });
    if (hasPython)
      expect(await askPython([forged], '--trust-layout', slots)).toMatchObject([
        { ok: false, reason: 'state_proof_invalid' },
      ]);
  });
});
