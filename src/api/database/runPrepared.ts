import type pg from 'pg';

/** Statements are put together of parts that callers choose; the rarer combinations are not worth a place on the server. */
const maxStatements = 200;
const names = new Map<string, string>();

/** Runs a statement that the database parses and plans once per connection, however often it is run. */
export async function runPrepared<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ ...nameStatement(text), text, values: [...values] });
  return rows;
}

/** The name under which a statement is prepared; none where too many others are. */
export function nameStatement(text: string): { name?: string } {
  const known = names.get(text);
  if (known !== undefined) return { name: known };
  if (names.size >= maxStatements) return {};
  const name = `prepared_${names.size}`;
  names.set(text, name);
  return { name };
}
