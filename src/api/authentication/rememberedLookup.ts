import { LRUCache } from 'lru-cache';
import type { CredentialLookup } from './findCredential.ts';

/** Results by the hash of a credential, cached for half a second. */
export type RememberedLookup<Found> = CredentialLookup<Found> & {
  /** Drops the cache. */
  forget(): void;
};

/**
 * A credential is looked up again after this time even without a notification: the limit on a revocation's
 * delay.
 */
const rememberedMs = 500;
/** More than any installation uses at once; only bounds the memory. */
const rememberedCredentials = 10_000;

type Remembered<Found> = { readonly found: Promise<Found | undefined>; until: number };

/** Unknown credentials are not cached: guesses must not displace known ones. */
export function createRememberedLookup<Found>(
  lookUp: (hash: string) => Promise<Found | undefined>,
): RememberedLookup<Found> {
  const remembered = new LRUCache<string, Remembered<Found>>({ max: rememberedCredentials });
  return {
    find(hash) {
      const known = remembered.get(hash);
      if (known && known.until > performance.now()) return known.found;
      const found = lookUp(hash);
      remembered.set(hash, { found, until: performance.now() + rememberedMs });
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
