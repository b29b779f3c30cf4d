import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { Address } from 'viem';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { acceptedInputs, type Issuer, type WireValues } from '../../protocol/index.ts';
import { nameOfInput, resolveIssuers } from '../agreements/acceptedInputs.ts';

type Offered = { readonly inputId: string; readonly displayName: string; readonly issuer: Issuer };

type Place = {
  readonly recordId: string;
  readonly docHash: string;
  readonly state: string;
  /** Reads the effective values of some variables. */
  readonly readValues: (names: readonly string[]) => Promise<WireValues>;
};

export type OfferedInputs = {
  /** The inputs that the record's state takes from a wallet. */
  list(place: Place, wallet: Address): Promise<{ inputId: string; displayName: string }[]>;
};

/** Characters of names: without their fields, the inputs of tens of thousands of documents. */
const capacity = 8_000_000;

/**
 * Reads what a wallet can submit, without the fields: a page of a list needs the inputs of a hundred documents, each
 * of which takes milliseconds to parse. A document is parsed once for each of its states, however many requests wait
 * for it.
 */
export function createOfferedInputs(pool: pg.Pool): OfferedInputs {
  const kept = new LRUCache<string, readonly Offered[]>({ maxSize: capacity });
  const loading = new Map<string, Promise<readonly Offered[]>>();

  const load = async (recordId: string, state: string): Promise<readonly Offered[]> => {
    const text = 'select document from service.records where id = $1';
    const rows = await runPrepared<RowOf<typeof records, 'document'>>(pool, text, [recordId]);
    const agreement: unknown = JSON.parse(rows[0]?.document ?? 'null');
    return acceptedInputs(agreement, state).map(({ inputId, issuer }) => ({
      ...{ inputId, issuer, displayName: nameOfInput(agreement, inputId) },
    }));
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
    async list(place, wallet) {
      const inputs = await find(place);
      const names = [...new Set(inputs.flatMap(({ issuer }) => issuer.variables))];
      const values = names.length === 0 ? {} : await place.readValues(names);
      return inputs
        .filter(({ issuer }) => issuer.anyone || resolveIssuers(issuer, values).includes(wallet))
        .map(({ inputId, displayName }) => ({ inputId, displayName }));
    },
  };
}
