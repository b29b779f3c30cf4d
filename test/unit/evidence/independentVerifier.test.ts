import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { chains } from '../../../src/protocol/chains.ts';
import type { EvidenceVerdict } from '../../../src/protocol/evidence/evidenceVerdict.ts';
import { type VerifyOptions, verifyEvidence } from '../../../src/protocol/evidence/verifyEvidence.ts';
import { askPython, hasPython, pythonVerifier } from '../../evidence/askPython.ts';
import { readObject, write } from '../../evidence/editJson.ts';
import { forgeChain } from '../../evidence/forgeChain.ts';
import { alterFields, malleate, stripProofs } from '../../evidence/forgeFiles.ts';
import { forgeSenders } from '../../evidence/forgeSenders.ts';
import { forgeText } from '../../evidence/forgeText.ts';
import { forgeWhole } from '../../evidence/forgeWhole.ts';
import { buildDepositedLease } from '../../evidence/handMade/depositedLease.ts';
import { sealBlocks } from '../../evidence/sealBlocks.ts';

const directory = fileURLToPath(new URL('../../evidence/files/', import.meta.url));
const read = (name: string) => readFile(join(directory, name), 'utf8');
const isLong = process.env.EVIDENCE_ALL !== undefined;
/** Both verifiers read hundreds of forged files, and in the long form thousands, which may take any time. */
const forgeryTimeoutMs = isLong ? 3_600_000 : 180_000;

/** The Python verifier's answer for each text: the level, or the reason for refusal. */
async function askSaying(texts: readonly string[], ...options: string[]): Promise<string[]> {
  const answers = await askPython(texts, ...options);
  return answers.map(({ level, reason }) => level ?? reason ?? '');
}

function sayingOf(verdict: EvidenceVerdict): string {
  return verdict.ok ? verdict.level : verdict.reason;
}

type Case = { readonly name: string; readonly text: string };

/** The cases in which the two verifiers differ. */
async function listDifferences(cases: readonly Case[]): Promise<string[]> {
  const found = await askSaying(cases.map(({ text }) => text));
  expect(found).toHaveLength(cases.length);
  const ours: string[] = [];
  for (const { text } of cases) ours.push(sayingOf(await verifyEvidence(new TextEncoder().encode(text))));
  return cases.flatMap(({ name }, at) =>
    found[at] === ours[at] ? [] : [`${name}: ${found[at]}, here ${ours[at]}`],
  );
}

describe.skipIf(!hasPython)('the verifier in Python (skipped where python3 is not installed)', () => {
  test('finds the levels of genuine files, with proofs and without', async () => {
    const names = await readdir(directory);
    const genuine = await Promise.all(names.map(async (name) => ({ name, text: await read(name) })));
    const stripped = genuine.map(({ name, text }) => ({ name: `${name} stripped`, text: stripProofs(text) }));
    const deposited = { name: 'a deposited input', text: await buildDepositedLease() };
    expect(await listDifferences([...genuine, ...stripped, deposited])).toEqual([]);
  });

  test('refuses forged files for the same reasons', { timeout: forgeryTimeoutMs }, async () => {
    const [lease, direct, forwarded] = await Promise.all(
      ['lease.json', 'directLease.json', 'forwardedLease.json'].map(read),
    );
    if (!lease || !direct || !forwarded) throw new Error('a file is missing');
    const malleated = readObject(forwarded);
    const { permit } = malleated.deployment as { permit: Parameters<typeof malleate>[0] };
    malleate(permit);
    const names = await readdir(directory);
    const others = await Promise.all(names.filter((name) => name !== 'lease.json').map(read));
    const cases = [
      ...forgeWhole(lease, direct),
      ...(await forgeChain()),
      ...(await forgeSenders()),
      ...forgeText(await buildDepositedLease()),
      { name: 'malleated', text: write(malleated) },
      ...alterFields(lease, { eachKind: !isLong }),
      ...(isLong ? others.flatMap((text) => alterFields(text)) : []),
    ];
    expect(await listDifferences(cases)).toEqual([]);
  });

  test('takes the same hashes for anchors', async () => {
    const lease = await read('lease.json');
    const verdict = await verifyEvidence(lease);
    const blocks = verdict.ok ? verdict.blocks : [];
    const trusted = blocks.map(({ number, hash }) => [number, hash] as const);
    const compare = async (some: typeof trusted) => {
      const options: VerifyOptions = { trustedHashes: new Map(some) };
      const [found] = await askSaying(
        [lease],
        ...some.flatMap(([number, hash]) => ['--trust-hash', `${number}:${hash}`]),
      );
      expect(found).toBe(sayingOf(await verifyEvidence(lease, options)));
      return found;
    };
    expect(await compare(trusted)).toBe('anchored');
    expect(await compare(trusted.slice(1))).toBe('included');
    const lies = trusted.map(([number]) => [number, `0x${'00'.repeat(32)}`] as const);
    expect(await compare(lies)).toBe('block_contradicted');
  });

  test('takes the same sequencers for anchors', async () => {
    const [sequencer, other] = [
      privateKeyToAccount(keccak256('0x01')),
      privateKeyToAccount(keccak256('0x02')),
    ];
    const text = await sealBlocks(await read('lease.json'), [sequencer]);
    expect(await askSaying([text], '--trust-sequencer', sequencer.address)).toEqual(['anchored']);
    expect(await askSaying([text], '--trust-sequencer', other.address)).toEqual(['included']);
  });
});

test('the documents and the verifier in Python name the contracts of every chain', async () => {
  const rows = await readFile(new URL('../../../docs/evidence-protocol.md', import.meta.url), 'utf8');
  const code = await readFile(pythonVerifier, 'utf8');
  for (const { name, chainId, factory, implementation } of chains) {
    expect(rows).toContain(
      `| ${name} | ${chainId} | ${factory} | ${implementation} |`.replace(/0x\w+/g, (hex) =>
        hex.toLowerCase(),
      ),
    );
    expect(code).toContain(`${chainId}:`);
    expect(code).toContain(factory.toLowerCase());
    expect(code).toContain(implementation.toLowerCase());
  }
});
