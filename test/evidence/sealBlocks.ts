import { RLP } from '@ethereumjs/rlp';
import { concatHex, type Hex, keccak256, numberToHex, parseSignature } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { bytesToHex, hexToBytes } from '../../src/protocol/hex.ts';
import { list, object, readObject, write } from './editJson.ts';

const vanity: Hex = `0x${'00'.repeat(32)}`;

/**
 * The file as on a chain whose sequencer signs its headers as Clique does: the `sealers` seal blocks in turn.
 * Only the blocks' hashes change.
 */
export async function sealBlocks(text: string, sealers: readonly PrivateKeyAccount[]): Promise<string> {
  const file = readObject(text);
  for (const [at, block] of list(file, 'blocks').map(object).entries()) {
    const fields = RLP.decode(hexToBytes(String(block.header)));
    const sealer = sealers[at % sealers.length];
    if (!Array.isArray(fields) || !sealer) throw new Error('no header, or nobody to seal it');
    const unsealed = fields.with(12, hexToBytes(vanity));
    const { r, s, yParity } = parseSignature(await sealer.sign({ hash: keccak256(RLP.encode(unsealed)) }));
    const extra = concatHex([vanity, r, s, numberToHex(yParity, { size: 1 })]);
    const header = bytesToHex(RLP.encode(fields.with(12, hexToBytes(extra))));
    Object.assign(block, { header, hash: keccak256(header) });
  }
  return write(file);
}
