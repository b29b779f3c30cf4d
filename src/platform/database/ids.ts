import { randomUUID } from 'node:crypto';

/** What an id names, by its prefix. */
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

/** A new id: the prefix and 32 hex digits, of which nobody can guess the 122 random bits. */
export function createId<Prefix extends IdPrefix>(prefix: Prefix): `${Prefix}_${string}` {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}
