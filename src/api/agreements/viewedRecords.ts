import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { DeployedRecord, DeployedReference } from './deployedRecord.ts';

/** What usually is the same the next time: a document and where it is deployed. */
export type ViewedRecord = Pick<DeployedRecord, 'chainId' | 'address'> & {
  readonly document: string;
};

/** Characters of the documents' texts: parsed, a document may take ten times as much memory. */
const capacity = 8_000_000;
const usualCharacters = 500;

const viewedBy = new WeakMap<pg.Pool, LRUCache<string, ViewedRecord>>();

/** The record as the same principal last found it. It may have changed since. */
export function findViewed(pool: pg.Pool, reference: DeployedReference): ViewedRecord | undefined {
  return viewedBy.get(pool)?.get(keyOf(reference));
}

/** Keeps a record for `findViewed`, unless its document is large. */
export function keepViewed(
  pool: pg.Pool,
  reference: DeployedReference,
  { chainId, address, document }: DeployedRecord,
): void {
  if (document === undefined) return;
  const viewed = viewedBy.get(pool) ?? new LRUCache<string, ViewedRecord>({ maxSize: capacity });
  viewedBy.set(pool, viewed);
  const size = document.length + usualCharacters;
  viewed.set(keyOf(reference), { chainId, address, document }, { size });
}

function keyOf({ reference: { id, chainId }, principalId }: DeployedReference): string {
  return JSON.stringify([principalId, id, chainId]);
}
