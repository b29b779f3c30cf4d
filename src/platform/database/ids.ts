import { randomUUID } from 'node:crypto';

/** The kind of thing that an id names, by prefix. */
export type IdPrefix =
  | 'agr'
  | 'inp'
  | 'wh'
  | 'evt'
  | 'dlv'
  | 'key'
  | 'prn'
  | 'req'
  | 'txn'
  | 'ses'
  | 'plk'
  | 'lnk'
  | 'wch'
  | 'wse';

/**
 * A new id: the prefix and 32 hex digits with 122 random bits that nobody can guess.
 *
 * @param bytes at least 16 bytes that nobody can guess, instead of random ones.
 */
export function createId<Prefix extends IdPrefix>(prefix: Prefix, bytes?: Buffer): `${Prefix}_${string}` {
  return `${prefix}_${bytes?.toString('hex', 0, idBytes) ?? randomUUID().replaceAll('-', '')}`;
}

const idBytes = 16;
