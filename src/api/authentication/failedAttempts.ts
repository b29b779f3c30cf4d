import { LRUCache } from 'lru-cache';
import { RateLimitedError } from '../../platform/errors/serviceError.ts';

/** Limits how often one client may try unknown keys. */
export type FailedAttempts = {
  /** @throws RateLimitedError if this client has failed too often lately. */
  require(client: string): void;
  note(client: string): void;
};

/** Failures in a row that are normal, such as those of a program with a revoked key. */
const burst = 50;
const perSecond = 5;
/** Only bounds the memory: an attacker with more addresses than this is not stopped by address. */
const rememberedClients = 10_000;

/**
 * Counts failures by client, in this process only. Guessing a key is hopeless anyway; this protects the
 * database from a query per guess.
 */
export function createFailedAttempts(): FailedAttempts {
  const clients = new LRUCache<string, { failures: number; at: number }>({ max: rememberedClients });

  /** Failures that have not expired yet. */
  const countFailures = (client: string) => {
    const known = clients.get(client);
    if (!known) return 0;
    return Math.max(0, known.failures - ((performance.now() - known.at) / 1000) * perSecond);
  };

  return {
    require(client) {
      const excess = countFailures(client) + 1 - burst;
      if (excess <= 0) return;
      throw new RateLimitedError('Too many attempts with invalid API keys.', {
        retryAfterSeconds: Math.ceil(excess / perSecond),
      });
    },
    note(client) {
      clients.set(client, { failures: countFailures(client) + 1, at: performance.now() });
    },
  };
}
