import { forgetEldest } from '../../platform/database/forgetEldest.ts';

/** What is found by the hash of a credential, remembered for half a second. */
export type RememberedLookup<Found> = {
  find(hash: string): Promise<Found | undefined>;
  /** Whether it was found before, be it a while ago. */
  knows(hash: string): boolean;
  /** Looks everything up again from now on. */
  forget(): void;
};

/** A credential is looked up again after this time even if no word of a change arrives: what bounds a revocation's delay. */
const rememberedMs = 500;
/** More than any installation uses at once; the bound only keeps memory finite. */
const rememberedCredentials = 10_000;

type Remembered<Found> = { readonly found: Promise<Found | undefined>; until: number };

/** Unknown credentials are not remembered: guesses must not displace those in use. */
export function createRememberedLookup<Found>(
  lookUp: (hash: string) => Promise<Found | undefined>,
): RememberedLookup<Found> {
  const remembered = new Map<string, Remembered<Found>>();
  return {
    find(hash) {
      const known = remembered.get(hash);
      if (known && known.until > performance.now()) return known.found;
      const found = lookUp(hash);
      remembered.delete(hash);
      remembered.set(hash, { found, until: performance.now() + rememberedMs });
      if (remembered.size > rememberedCredentials) forgetEldest(remembered);
      found.then(
        (value) => value ?? remembered.delete(hash),
        () => remembered.delete(hash),
      );
      return found;
    },
    knows: (hash) => remembered.has(hash),
    forget() {
      for (const known of remembered.values()) known.until = 0;
    },
  };
}
