import { type Edit, editPonder } from './editPonder.ts';

const edits: ReadonlyMap<string, readonly Edit[]> = new Map([
  [
    'sync-realtime/bloom.js',
    [
      ['const BLOOM_SIZE_BYTES = 256;', 'const BLOOM_SIZE_BYTES = 256; let known = {};'],
      [
        'const bloom = hexToBytes(_bloom);\n    const hash = hexToBytes(keccak256(input));',
        `if (_bloom !== known.text) known = { text: _bloom, bloom: hexToBytes(_bloom), hashes: new Map() };
    const { bloom, hashes } = known;
    let hash = hashes.get(input);
    if (!hash) hashes.set(input, (hash = hexToBytes(keccak256(input))));`,
      ],
    ],
  ],
]);

/**
 * Lets Ponder hash each address and topic of a block once. It looks for those of every log in the block's bloom filter, also of
 * the logs of other contracts, and most of them occur in many logs. Call it before Ponder is loaded.
 */
export function rememberHashes(): void {
  editPonder(edits);
}
