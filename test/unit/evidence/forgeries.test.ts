import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { EvidenceVerdict } from '../../../src/protocol/evidence/evidenceVerdict.ts';
import { verifyEvidence } from '../../../src/protocol/evidence/verifyEvidence.ts';
import { readObject, write } from '../../evidence/editJson.ts';
import { forgeChain } from '../../evidence/forgeChain.ts';
import { alterFields, dropInput, type Forgery, malleate, stripProofs } from '../../evidence/forgeFiles.ts';
import { forgeSenders } from '../../evidence/forgeSenders.ts';
import { forgeText } from '../../evidence/forgeText.ts';
import { forgeWhole } from '../../evidence/forgeWhole.ts';
import { buildDepositedLease, landlord, tenant } from '../../evidence/handMade/depositedLease.ts';
import { listHashes } from '../../evidence/listHashes.ts';

/** Evidence files of agreements on a local chain. */
const directory = fileURLToPath(new URL('../../evidence/files/', import.meta.url));
const read = (name: string) => readFileSync(join(directory, name), 'utf8');
const lease = read('lease.json');
const direct = read('directLease.json');
const forwarded = read('forwardedLease.json');

async function listUnrefused(forgeries: readonly Forgery[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { name, text, reasons } of forgeries) {
    const verdict = await verifyEvidence(text);
    const found = verdict.ok ? 'it holds' : verdict.reason;
    if (verdict.ok || !reasons.includes(verdict.reason))
      wrong.push(`${name}: ${found}, not ${reasons.join(' or ')}`);
  }
  return wrong;
}

function levelOf(verdict: EvidenceVerdict): string {
  return verdict.ok ? verdict.level : `${verdict.reason} at ${verdict.path}: ${verdict.message}`;
}

describe('genuine files', () => {
  test.each(readdirSync(directory))('%s holds', async (name) => {
    expect(levelOf(await verifyEvidence(read(name)))).toBe('included');
  });

  test('of a chain of the OP stack, made by hand, name the sender of a deposited input, and say that nobody signed it', async () => {
    const text = await buildDepositedLease();
    expect(levelOf(await verifyEvidence(text))).toBe('none');
    const verdict = await verifyEvidence(text, { trustedHashes: listHashes(text) });
    expect(levelOf(verdict)).toBe('anchored');
    expect(verdict.ok && verdict.acts).toMatchObject([
      { by: 'transaction', actor: landlord.address.toLowerCase() },
      { by: 'transaction', input: 'knock' },
      { by: 'permit', input: 'appoint', actor: landlord.address.toLowerCase() },
      { by: 'nothing', input: 'accept', actor: tenant.address.toLowerCase(), toState: 'ACTIVE' },
    ]);
    expect(verdict.ok && verdict.established.join(' ')).toContain('3 of 4 carry a readable signature');
    expect(verdict.ok && verdict.notShown.join(' ')).toContain('from another chain');
  });

  test('are anchored by hashes that the reader trusts, and contradicted by others', async () => {
    const found = await verifyEvidence(lease);
    const hashes = new Map(found.ok ? found.blocks.map(({ number, hash }) => [number, hash]) : []);
    expect(levelOf(await verifyEvidence(lease, { trustedHashes: hashes }))).toBe('anchored');
    const [[first = 0] = []] = hashes;
    const lie = new Map([[first, `0x${'00'.repeat(32)}` as const]]);
    expect(levelOf(await verifyEvidence(lease, { trustedHashes: lie }))).toMatch(/^block_contradicted/);
    hashes.delete(first);
    expect(levelOf(await verifyEvidence(lease, { trustedHashes: hashes }))).toBe('included');
  });

  test('without proofs are only signed; without readable signatures they prove nothing', async () => {
    expect(levelOf(await verifyEvidence(stripProofs(lease)))).toBe('signed');
    expect(levelOf(await verifyEvidence(stripProofs(direct)))).toBe('signed');
  });

  test('can omit only what they say they cannot exclude: a step without permit that changed no state', async () => {
    const file = readObject(lease);
    dropInput(file, 1);
    const verdict = await verifyEvidence(write(file));
    expect(levelOf(verdict)).toBe('included');
    expect(verdict.ok && verdict.notShown.join(' ')).toContain('cannot be excluded');
  });
});

describe('forged files', () => {
  test('are refused whatever field is altered, for the right reason', async () => {
    // The long run alters all fields, also in other files.
    const forgeries = alterFields(lease, { eachKind: process.env.EVIDENCE_ALL === undefined });
    expect(await listUnrefused(forgeries)).toEqual([]);
  });

  test.runIf(process.env.EVIDENCE_ALL)(
    'of other agreements are refused whatever field is altered',
    async () => {
      const others = readdirSync(directory).filter((name) => name !== 'lease.json');
      const forgeries = others.flatMap((name) => alterFields(read(name)));
      expect(forgeries.length).toBeGreaterThan(200);
      expect(await listUnrefused(forgeries)).toEqual([]);
    },
  );

  test('are refused whatever is exchanged, cut or smuggled in, for the right reason', async () => {
    expect(await listUnrefused(forgeWhole(lease, direct))).toEqual([]);
  });

  test('are refused if the forger made a whole chain, or wrote the text differently', async () => {
    expect(await listUnrefused(await forgeChain())).toEqual([]);
    expect(await listUnrefused(await forgeSenders())).toEqual([]);
    expect(await listUnrefused(forgeText(await buildDepositedLease()))).toEqual([]);
  });

  test('are refused with the other form of a signature, even if no transaction shows the true one', async () => {
    const file = readObject(forwarded);
    const { permit } = file.deployment as { permit: Parameters<typeof malleate>[0] };
    malleate(permit);
    expect(await verifyEvidence(write(file))).toMatchObject({ ok: false, reason: 'signature_invalid' });
  });

  test('of a hundred megabytes are refused before they are read', async () => {
    const bytes = new Uint8Array(100 * 1024 * 1024).fill(0x7b);
    expect(await verifyEvidence(bytes)).toMatchObject({ ok: false, reason: 'too_large' });
  });
});
