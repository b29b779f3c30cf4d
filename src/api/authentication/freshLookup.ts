import { LRUCache } from 'lru-cache';
import { hashSecret } from '../../records/sessions/secretText.ts';
import type { CredentialLookup } from './findCredential.ts';

/** More than any installation uses at once; only bounds the memory. */
const rememberedSecrets = 10_000;

/** Looks up secrets each time, so that a revocation takes effect at once. Remembers by their hashes which were found. */
export function createFreshLookup<Found>(
  lookUp: (secret: string) => Promise<Found | undefined>,
): CredentialLookup<Found> {
  const known = new LRUCache<string, true>({ max: rememberedSecrets });
  return {
    async find(secret) {
      const found = await lookUp(secret);
      const hash = hashSecret(secret);
      if (found) known.set(hash, true);
      else known.delete(hash);
      return found;
    },
    knows: (secret) => known.has(hashSecret(secret)),
  };
}
