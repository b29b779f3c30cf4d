import type { Hex } from 'viem';
import { type Header, recoverSealer } from './blockParts.ts';
import { type EvidenceFile, lowerHex } from './evidenceFile.ts';
import { refuse } from './refusal.ts';

/** What the caller knows of a chain's blocks. */
export type TrustedAnchors = {
  /**
   * Block hashes that the caller trusts, by number. If they confirm all of the file's blocks, it is
   * `anchored`.
   */
  readonly trustedHashes?: ReadonlyMap<number, Hex> | undefined;
  /**
   * Sequencer accounts that sign headers as Clique does. If each block is signed by one of them, the
   * file is `anchored`.
   */
  readonly trustedSequencers?: readonly Hex[] | undefined;
};

/**
 * What confirms all of a file's blocks, or null.
 *
 * @throws EvidenceRefusal `block_contradicted` if the caller knows another hash of a block.
 */
export async function findAnchor(
  file: EvidenceFile,
  headers: readonly (Header | null)[],
  { trustedHashes, trustedSequencers = [] }: TrustedAnchors,
): Promise<'hashes' | 'sequencer' | null> {
  for (const [at, { number, hash }] of file.blocks.entries()) {
    const known = trustedHashes?.get(number);
    if (known !== undefined && lowerHex(known) !== hash)
      refuse(
        'block_contradicted',
        `blocks[${at}].hash`,
        `You trust another hash of block ${number}: ${known}.`,
      );
  }
  if (file.blocks.every(({ number }) => trustedHashes?.has(number))) return 'hashes';
  const known = new Set(trustedSequencers.map(lowerHex));
  if (known.size === 0) return null;
  for (const header of headers) {
    const sealer = header && (await recoverSealer(header));
    if (!sealer || !known.has(sealer)) return null;
  }
  return 'sequencer';
}
