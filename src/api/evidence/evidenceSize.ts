import { RefusedError } from '../../platform/errors/serviceError.ts';
import type { IndexedHistory } from './evidenceSubject.ts';

/** Adds up the parts of a file before it is written. */
export type EvidenceSize = {
  /** @throws RefusedError `evidence_too_long` once the parts are larger than a file may be. */
  add(bytes: number): void;
  /** The sum so far. */
  readonly bytes: number;
};

export function createEvidenceSize(mostBytes: number): EvidenceSize {
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    add(more) {
      bytes += more;
      if (bytes <= mostBytes) return;
      throw new RefusedError(
        'evidence_too_long',
        'The evidence file would be larger than evidence files may be.',
        { facts: { limitBytes: mostBytes } },
      );
    },
  };
}

/**
 * What the inputs of a history take in a file at the least, in bytes, besides their transactions with receipts
 * and proofs. Hex has two characters a byte, and so has the index's text.
 */
export function measureInputs({ steps }: Pick<IndexedHistory, 'steps'>): number {
  return steps.reduce((sum, { payloadCharacters }) => sum + payloadCharacters + leastInputCharacters, 0);
}

/** An input without payload and permit, whose numbers have one digit. */
const word = `0x${'0'.repeat(64)}`;
const leastInputCharacters = JSON.stringify({
  ...{ transaction: 0, log: 0, inputId: word, fromState: word, toState: word, payload: '', permit: null },
}).length;
