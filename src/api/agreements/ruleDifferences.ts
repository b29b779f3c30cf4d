import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Hex } from 'viem';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import {
  AgreementError,
  type Comparison,
  type CreationPart,
  compareCreation,
  type WireValues,
} from '../../protocol/index.ts';
import { findCreationOf, type IndexedCreation } from '../admission/readCreation.ts';

/** What decides whether a record's contract may have other rules than its document. */
export type RuledRecord = RowOf<typeof records, 'id' | 'chain_id' | 'address' | 'deploy_tx_hash'> & {
  /** Adopted from the chain: nobody here has signed its document with its rules. */
  is_adopted: boolean;
};

const cacheSize = 20_000;
/** By record and creating transaction, between which nothing changes. */
const caches = new WeakMap<pg.Pool, LRUCache<string, Comparison>>();

const contentQuery = 'select document, initial_variables from service.records where id = $1';

/**
 * The parts of a deployed record's contract that are not as its document has them. None for one that was deployed here,
 * as its permit covers all of them. Undefined while that cannot be told: the index does not show its creation, or the
 * value that a call needs is unknown.
 */
export async function findRuleDifferences(
  pool: pg.Pool,
  record: RuledRecord,
): Promise<readonly CreationPart[] | undefined> {
  const { id, address, deploy_tx_hash: deployTxHash, is_adopted: isAdopted } = record;
  if (address === null || deployTxHash === null) return undefined;
  if (!isAdopted) return [];
  const known = cacheOf(pool).get(`${id} ${deployTxHash}`);
  if (known) return tellDifferences(known);
  const place = { chainId: record.chain_id, address: lowerCase(address), deployTxHash };
  const creation = await findCreationOf(pool, place);
  if (!creation) return undefined;
  const [content] = await runPrepared<RowOf<typeof records, 'document' | 'initial_variables'>>(
    pool,
    contentQuery,
    [id],
  );
  if (!content) return undefined;
  const { document, initial_variables: values } = content;
  return listRuleDifferences(pool, { id, agreement: JSON.parse(document), values, creation });
}

/** As `findRuleDifferences`, of an adopted record whose document and creation are read already. */
export function listRuleDifferences(
  pool: pg.Pool,
  {
    id,
    agreement,
    ...read
  }: { id: string; agreement: unknown; values: WireValues; creation: IndexedCreation },
): readonly CreationPart[] | undefined {
  const cache = cacheOf(pool);
  const key = `${id} ${read.creation.transactionHash}`;
  const compared = cache.get(key) ?? compareRules(agreement, read);
  cache.set(key, compared);
  return tellDifferences(compared);
}

function cacheOf(pool: pg.Pool): LRUCache<string, Comparison> {
  const cache = caches.get(pool) ?? new LRUCache<string, Comparison>({ max: cacheSize });
  caches.set(pool, cache);
  return cache;
}

/** Undefined if no part differs, but not all can be compared. */
function tellDifferences({ differing, isWhole }: Comparison): readonly CreationPart[] | undefined {
  return isWhole || differing.length > 0 ? differing : undefined;
}

function compareRules(
  agreement: unknown,
  { values, creation: { parameters, actions } }: { values: WireValues; creation: IndexedCreation },
): Comparison {
  try {
    return compareCreation(agreement, { values, creation: { ...parameters, actions } });
  } catch (error) {
    // Adopted by an earlier version.
    if (error instanceof AgreementError) return { differing: [], isWhole: false };
    throw error;
  }
}

function lowerCase(address: string): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}
