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

/** A new id: the prefix and 32 hex digits with 122 random bits that nobody can guess. */
export function createId<Prefix extends IdPrefix>(prefix: Prefix): `${Prefix}_${string}` {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}
