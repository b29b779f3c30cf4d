import { createOwnPlaces } from '../../platform/turns/ownPlaces.ts';

/** Lets the files of one principal be written a few at a time: each holds some transactions while its reader is slow. */
export type EvidenceWriters = {
  /** The pieces, the first of which waits until earlier files of the principal are read. */
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
