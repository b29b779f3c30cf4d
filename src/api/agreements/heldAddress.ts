import type pg from 'pg';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { parseAddress, type WireValues } from '../../protocol/index.ts';

/** The checksummed address that a variable holds; undefined if it holds none. */
export function heldAddress(values: WireValues, variable: string) {
  return Object.hasOwn(values, variable) ? parseAddress(values[variable]) : undefined;
}

const addressLength = 42;

/** The database unescapes all values, and refuses NUL. No address has either character. */
const query = `select id, key, value
  from (select id, array_agg(name) as names from unnest($1::text[], $2::text[]) as pair(id, name) group by id) as wanted
    join service.records using (id),
    json_each_text(replace(variables::text, '\\u0000', '\\u0001')::json)
  where key = any(names) and octet_length(value) = ${addressLength}`;

/** Some variables of a record. */
export type WantedValues = { readonly recordId: string; readonly variables: readonly string[] };

/**
 * Those of a record's values that can be addresses, of these variables only: all values together may be
 * megabytes.
 */
export async function readHeldAddresses(pool: pg.Pool, wanted: WantedValues): Promise<WireValues> {
  return (await readAddressesOfRecords(pool, [wanted])).get(wanted.recordId) ?? {};
}

/** The same for several records, each once, in one statement. */
export async function readAddressesOfRecords(
  pool: pg.Pool,
  wanted: readonly WantedValues[],
): Promise<ReadonlyMap<string, WireValues>> {
  const pairs = wanted.flatMap(({ recordId, variables }) => variables.map((name) => ({ recordId, name })));
  if (pairs.length === 0) return new Map();
  const rows = await runPrepared<{ id: string; key: string; value: string }>(pool, query, [
    pairs.map(({ recordId }) => recordId),
    pairs.map(({ name }) => name),
  ]);
  const ofRecords = Map.groupBy(rows, ({ id }) => id);
  return new Map(
    [...ofRecords].map(([id, held]) => [id, Object.fromEntries(held.map(({ key, value }) => [key, value]))]),
  );
}
