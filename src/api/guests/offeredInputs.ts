import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Address } from 'viem';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { leaveTurn } from '../../platform/turns/leaveTurn.ts';
import { acceptedInputs, type Issuer } from '../../protocol/index.ts';
import { nameOfInput, resolveIssuers } from '../agreements/acceptedInputs.ts';
import { readAddressesOfRecords } from '../agreements/heldAddress.ts';

type Offered = { readonly inputId: string; readonly displayName: string; readonly issuer: Issuer };

/** A record in one of its states. */
type Place = { readonly recordId: string; readonly docHash: string; readonly state: string };

export type OfferedInputs = {
  /** The inputs that the states of some records take from a wallet, by record. */
  list(
    places: readonly Place[],
    wallet: Address,
  ): Promise<ReadonlyMap<string, readonly { inputId: string; displayName: string }[]>>;
};

/** Characters of names: without their fields, the inputs of tens of thousands of documents. */
const capacity = 8_000_000;

/**
 * Reads what a wallet can submit, without the fields: a page of a list needs the inputs of a hundred documents, each
 * of which takes milliseconds to parse. A document is parsed once for each of its states, however many requests wait
 * for it, and the addresses of all records are read in one statement.
 */
export function createOfferedInputs(
  pool: pg.Pool,
  { readAddresses = readAddressesOfRecords } = {},
): OfferedInputs {
  const kept = new LRUCache<string, readonly Offered[]>({ maxSize: capacity });
  const loading = new Map<string, Promise<readonly Offered[]>>();

  const load = async (recordId: string, state: string): Promise<readonly Offered[]> => {
    const text = 'select document from service.records where id = $1';
    const rows = await runPrepared<RowOf<typeof records, 'document'>>(pool, text, [recordId]);
    const startedAt = performance.now();
    const agreement: unknown = JSON.parse(rows[0]?.document ?? 'null');
    const offered = acceptedInputs(agreement, state).map(({ inputId, issuer }) => ({
      ...{ inputId, issuer, displayName: nameOfInput(agreement, inputId) },
    }));
    await leaveTurn(startedAt);
    return offered;
  };

  const find = async ({ recordId, docHash, state }: Place): Promise<readonly Offered[]> => {
    const key = `${docHash} ${state}`;
    const known = kept.get(key) ?? loading.get(key);
    if (known) return known;
    const found = load(recordId, state);
    loading.set(key, found);
    try {
      const inputs = await found;
      kept.set(key, inputs, { size: key.length + JSON.stringify(inputs).length });
      return inputs;
    } finally {
      loading.delete(key);
    }
  };

  return {
    async list(places, wallet) {
      const found = new Map<string, readonly Offered[]>();
      // One after the other: each document may be large.
      for (const place of places) found.set(place.recordId, await find(place));
      const wanted = [...found].map(([recordId, inputs]) => ({
        recordId,
        variables: [...new Set(inputs.flatMap(({ issuer }) => issuer.variables))],
      }));
      const held = await readAddresses(pool, wanted);
      const listOf = (recordId: string, inputs: readonly Offered[]) =>
        inputs
          .filter(
            ({ issuer }) =>
              issuer.anyone || resolveIssuers(issuer, held.get(recordId) ?? {}).includes(wallet),
          )
          .map(({ inputId, displayName }) => ({ inputId, displayName }));
      return new Map([...found].map(([recordId, inputs]) => [recordId, listOf(recordId, inputs)]));
    },
  };
}
