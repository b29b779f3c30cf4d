import { readFileSync } from 'node:fs';

/**
 * The file of a lease by permits, with an action and a step without a permit. The service made it on a local
 * chain.
 */
export function readLease(): string {
  return readFileSync(new URL('files/lease.json', import.meta.url), 'utf8');
}
