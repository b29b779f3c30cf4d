import { createOwnPlaces } from '../../platform/turns/ownPlaces.ts';

/**
 * Limits how many files of one principal are written at a time: each holds some transactions while its reader
 * is slow.
 */
export type EvidenceWriters = {
  /** The pieces. The first one waits until earlier files of the principal are read. */
  admit(pieces: AsyncIterable<string>, principalId: string): AsyncGenerator<string>;
};

const atOnce = 2;

export function createEvidenceWriters(): EvidenceWriters {
  const places = createOwnPlaces(atOnce);
  return {
    async *admit(pieces, principalId) {
      await places.enter(principalId);
      try {
        yield* pieces;
      } finally {
        places.leave(principalId);
      }
    },
  };
}
