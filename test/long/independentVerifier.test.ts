import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { chains } from '../../src/protocol/chains.ts';
import { type VerifyOptions, verifyEvidence } from '../../src/protocol/evidence/verifyEvidence.ts';
import { hasPython, pythonVerifier } from '../evidence/askPython.ts';
import { askSaying, listDifferences, sayingOf } from '../evidence/compareVerifiers.ts';
import { stripProofs } from '../evidence/forgeFiles.ts';
import { buildDepositedLease } from '../evidence/handMade/depositedLease.ts';
import { sealBlocks } from '../evidence/sealBlocks.ts';

const directory = fileURLToPath(new URL('../evidence/files', import.meta.url));
const read = (name: string) => readFile(join(directory, name), 'utf8');

describe.skipIf(!hasPython)('the verifier in Python (skipped where python3 is not installed)', () => {
  test('finds the levels of genuine files, with proofs and without', async () => {
    const names = await readdir(directory);
    const genuine = await Promise.all(names.map(async (name) => ({ name, text: await read(name) })));
    const stripped = genuine.map(({ name, text }) => ({ name: `${name} stripped`, text: stripProofs(text) }));
    const deposited = { name: 'a deposited input', text: await buildDepositedLease() };
    expect(await listDifferences([...genuine, ...stripped, deposited])).toEqual([]);
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
  const rows = await readFile(new URL('../../docs/evidence-protocol.md', import.meta.url), 'utf8');
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
