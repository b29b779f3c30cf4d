import { RLP } from '@ethereumjs/rlp';
import { bytesToHex, type Hex, hexToBytes, keccak256, numberToHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { ownPlaceOfNonces } from '../../src/protocol/evidence/evidenceState.ts';
import { type VerifyOptions, verifyEvidence } from '../../src/protocol/evidence/verifyEvidence.ts';
import { askPython, hasPython } from '../evidence/askPython.ts';
import { at, list, object, readObject, write } from '../evidence/editJson.ts';
import { findEvidence } from '../evidence/findEvidence.ts';
import { dropInput } from '../evidence/forgeFiles.ts';
import {
  buildDepositedLease,
  buildLeaseChain,
  type LeaseOptions,
  landlord,
  layout,
  tenant,
} from '../evidence/handMade/depositedLease.ts';
import { reproveState } from '../evidence/handMade/reproveState.ts';
import { listHashes } from '../evidence/listHashes.ts';

const complete = 'no permit of these accounts was left out';
const slots = '3,4,5,6';

/** What both verifiers say of the storage; the texts of the first. */
async function findStorage(text: string, options: VerifyOptions = {}) {
  const { established, trusted, notShown, level } = await findEvidence(text, options);
  if (hasPython) {
    const hashes = [...(options.trustedHashes ?? [])].map(([number, hash]) => `${number}:${hash}`);
    const [python] = await askPython(
      [text],
      ...[
        ...(options.layout ? ['--trust-layout', slots] : []),
        ...hashes.flatMap((hash) => ['--trust-hash', hash]),
      ],
    );
    const conditions = [
      ...(level === 'anchored' ? [] : ['the block is one of the chain']),
      ...(options.layout ? [] : ['the layout in the file is right']),
    ];
    expect(python?.storage).toBe(`shown${conditions.length > 0 ? ` if ${conditions.join(' and ')}` : ''}`);
  }
  return { established: established.join(' '), trusted: trusted.join(' '), notShown: notShown.join(' ') };
}

describe('what the storage shows', () => {
  test('is trusted and not established as long as only the file names its layout', async () => {
    const text = await buildDepositedLease();
    const said = await findStorage(text, { trustedHashes: listHashes(text) });
    expect(said.established).not.toContain(complete);
    expect(said.trusted).toContain(
      'slots 3 for the text’s hash, 4 and 5 for the first and the last state, 6',
    );
    expect(said.trusted).toContain('), this is proved: At block 103');
    expect(said.trusted).toContain(complete);
  });

  test('is established by a layout that the reader knows', async () => {
    const text = await buildDepositedLease();
    const said = await findStorage(text, { layout, trustedHashes: listHashes(text) });
    expect(said.established).toContain(complete);
    expect(said.trusted).not.toContain('storage');
  });

  test('is trusted as long as nobody has confirmed its block', async () => {
    const said = await findStorage(await buildDepositedLease(), { layout });
    expect(said.established).not.toContain(complete);
    expect(said.trusted).toContain('If block 103 is one of ');
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

  test('is not called complete if a list in the text pushes signers out of the accounts that are compared', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => numberToHex(at + 1, { size: 20 }));
    const edit: LeaseOptions['edit'] = ({ execution }) =>
      void Object.assign(execution.inputs.inspect, { issuer: many });
    const { text, chain } = await buildLeaseChain({ edit });
    const file = readObject(text);
    await reproveState(file, chain, { signers: [landlord.address, ...many.slice(0, 999)] });
    const genuine = write(file);
    // The landlord signed the only permit. Without it, the list fills all places.
    dropInput(file, 1);
    await reproveState(file, chain, { signers: many });
    for (const forged of [genuine, write(file)]) {
      const trustedHashes = listHashes(forged);
      const { storage, established } = await findEvidence(forged, { layout, trustedHashes });
      expect(storage?.accounts).toMatchObject({ checked: 1_000 });
      expect(established.join(' ')).not.toContain(complete);
      expect(established.join(' ')).toContain('permits of the other accounts may have been left out');
    }
    // It takes seconds for the proofs of so many accounts.
    if (hasPython)
      expect(await askPython([write(file)], '--trust-layout', slots)).toMatchObject([
        { storage: 'shown if the block is one of the chain for the first 1,000 accounts' },
      ]);
  });

  test('does not count beside steps that no block is shown to include, and their blocks are not confirmed', async () => {
    const file = readObject(await buildDepositedLease());
    const blocks = list(file, 'blocks');
    const last = object(blocks.at(-1));
    for (const transaction of list(file, 'transactions'))
      Object.assign(object(transaction), { proof: null, receiptProof: null });
    const header = renumber(String(last.header), 1_000);
    blocks.push({ number: 1_000, hash: keccak256(header), timestamp: last.timestamp ?? 0, header });
    for (const block of blocks.slice(0, -1)) object(block).header = null;
    at(file, 'state').block = blocks.length - 1;
    const text = write({ ...file, notes: ['no_inclusion_proof', 'signature_not_readable'] });
    const found = await findEvidence(text, { layout, trustedHashes: listHashes(text) });
    expect(found).toMatchObject({ level: 'none', storage: null });
    expect([...found.established, ...found.trusted].join(' ')).not.toContain(complete);
    expect(found.notShown.join(' ')).toContain(
      'has no proof of the contract’s storage in blocks that include',
    );
    expect(found.blocks.filter(({ isAnchored }) => isAnchored)).toMatchObject([{ number: 1_000 }]);
    if (hasPython)
      expect(await askPython([text], '--trust-layout', slots)).toMatchObject([
        { level: 'none', storage: 'not shown' },
      ]);
  });

  test('marks a block as confirmed however its hash is written', async () => {
    const text = await buildDepositedLease();
    const trustedHashes = new Map(
      [...listHashes(text)].map(([number, hash]): [number, Hex] => [
        number,
        `0x${hash.slice(2).toUpperCase()}`,
      ]),
    );
    const { level, blocks } = await findEvidence(text, { trustedHashes });
    expect(level).toBe('anchored');
    expect(blocks.every(({ isAnchored }) => isAnchored)).toBe(true);
  });
});

/** The same header with another number. */
function renumber(raw: string, number: number): Hex {
  const fields = RLP.decode(raw);
  if (fields instanceof Uint8Array) throw new Error('no header');
  fields[8] = hexToBytes(numberToHex(number, { size: 2 }));
  return bytesToHex(RLP.encode(fields));
}
