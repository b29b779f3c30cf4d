import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { verifyEvidence } from '../../../src/protocol/evidence/verifyEvidence.ts';
import { list, object, readObject, write } from '../../evidence/editJson.ts';
import { readLease } from '../../evidence/readFiles.ts';
import { sealBlocks } from '../../evidence/sealBlocks.ts';

const [sequencer, successor] = [keccak256('0x01'), keccak256('0x02')].map((key) => privateKeyToAccount(key));
if (!sequencer || !successor) throw new Error('there are two');

async function levelOf(text: string, trustedSequencers: readonly `0x${string}`[]): Promise<string> {
  const verdict = await verifyEvidence(text, { trustedSequencers });
  return verdict.ok ? verdict.level : verdict.reason;
}

describe('blocks that a sequencer has signed', () => {
  test('are anchored for readers who trust it, however its address is written', async () => {
    const text = await sealBlocks(readLease(), [sequencer]);
    expect(await levelOf(text, [])).toBe('included');
    expect(await levelOf(text, [sequencer.address])).toBe('anchored');
    expect(await levelOf(text, [successor.address])).toBe('included');
    const verdict = await verifyEvidence(text, { trustedSequencers: [sequencer.address] });
    expect(verdict.ok && verdict.trusted.join(' ')).toContain(
      'the sequencer of Linea Sepolia signs only one history',
    );
  });

  test('of two sequencers are anchored only for readers who trust both', async () => {
    const text = await sealBlocks(readLease(), [sequencer, successor]);
    expect(await levelOf(text, [sequencer.address])).toBe('included');
    expect(await levelOf(text, [successor.address])).toBe('included');
    expect(await levelOf(text, [sequencer.address, successor.address])).toBe('anchored');
  });

  test('are not anchored by unsigned headers', async () => {
    expect(await levelOf(readLease(), [sequencer.address])).toBe('included');
  });

  test('are refused with one digit of a seal altered, whose header has another hash', async () => {
    const file = readObject(await sealBlocks(readLease(), [sequencer]));
    const block = object(list(file, 'blocks')[0]);
    const header = String(block.header);
    const at = header.indexOf('00'.repeat(32)) + 64 + 20;
    block.header = `${header.slice(0, at)}${header[at] === '0' ? '1' : '0'}${header.slice(at + 1)}`;
    expect(await levelOf(write(file), [sequencer.address])).toBe('header_mismatch');
  });
});
