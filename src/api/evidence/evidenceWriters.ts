/** Lets the files of one principal be written a few at a time: each holds some transactions while its reader is slow. */
export type EvidenceWriters = {
  /** The pieces, the first of which waits until earlier files of the principal are read. */
  admit(pieces: AsyncIterable<string>, principalId: string): AsyncGenerator<string>;
};

const atOnce = 4;

export function createEvidenceWriters(): EvidenceWriters {
  const counts = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();

  const enter = async (principalId: string) => {
    const count = counts.get(principalId) ?? 0;
    if (count < atOnce) {
      counts.set(principalId, count + 1);
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(principalId, [...(waiting.get(principalId) ?? []), resolve]);
    await promise;
  };
  /** Hands the place on, or gives it up. */
  const leave = (principalId: string) => {
    const [next, ...rest] = waiting.get(principalId) ?? [];
    if (rest.length > 0) waiting.set(principalId, rest);
    else waiting.delete(principalId);
    if (next) return next();
    const count = (counts.get(principalId) ?? 1) - 1;
    if (count > 0) counts.set(principalId, count);
    else counts.delete(principalId);
  };

  return {
    async *admit(pieces, principalId) {
      await enter(principalId);
      try {
        yield* pieces;
      } finally {
        leave(principalId);
      }
    },
  };
}
