/** A number of places per owner: if all are taken, a caller waits behind the owner's own callers. */
export type OwnPlaces = {
  enter(owner: string): Promise<void>;
  /** Passes the place to the owner's next caller, or frees it. */
  leave(owner: string): void;
};

export function createOwnPlaces(perOwner: number): OwnPlaces {
  const taken = new Map<string, { count: number; readonly waiting: (() => void)[] }>();
  return {
    async enter(owner) {
      const places = taken.get(owner) ?? { count: 0, waiting: [] };
      taken.set(owner, places);
      if (places.count < perOwner) {
        places.count++;
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      places.waiting.push(resolve);
      await promise;
    },
    leave(owner) {
      const places = taken.get(owner);
      const next = places?.waiting.shift();
      if (next) return next();
      if (!places) return;
      places.count--;
      if (places.count === 0) taken.delete(owner);
    },
  };
}
