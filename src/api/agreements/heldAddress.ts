import type pg from 'pg';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import { parseAddress, type WireValues } from '../../protocol/index.ts';

/** The checksummed address that a variable holds; undefined if it holds none. */
export function heldAddress(values: WireValues, variable: string) {
  return Object.hasOwn(values, variable) ? parseAddress(values[variable]) : undefined;
}

const addressLength = 42;

/** The database unescapes all values, and refuses NUL. No address has either character. */
const query = `select key, value
  from service.records, json_each_text(replace(variables::text, '\\u0000', '\\u0001')::json)
  where id = $1 and key = any($2::text[]) and octet_length(value) = ${addressLength}`;

/**
 * Those of a record's values that can be addresses, of these variables only: all values together may be
 * megabytes.
 */
export async function readHeldAddresses(
  pool: pg.Pool,
  { recordId, variables }: { recordId: string; variables: readonly string[] },
): Promise<WireValues> {
  const rows = await runPrepared<{ key: string; value: string }>(pool, query, [recordId, variables]);
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}
