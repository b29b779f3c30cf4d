import { randomBytes } from 'node:crypto';

/** What an id names, by its prefix. */
export type IdPrefix = 'agr' | 'inp' | 'wh' | 'evt' | 'dlv' | 'key' | 'prn' | 'req' | 'txn';

const randomness = 16;

/** A new id: the prefix and 32 hex digits, 128 random bits, which nobody can guess. */
export function createId<Prefix extends IdPrefix>(prefix: Prefix): `${Prefix}_${string}` {
  return `${prefix}_${randomBytes(randomness).toString('hex')}`;
}
