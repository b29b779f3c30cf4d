import type pg from 'pg';

/**
 * Deletes the rows of these tables of the service and of all that refer to them, as `truncate … cascade` does. Truncating
 * makes a new file for each table and each of its indexes, also for the many that hold nothing.
 */
export async function emptyTables(pool: pg.Pool, tables: readonly string[]): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `with recursive named as (
      select ('service.' || name)::regclass as oid from unnest($1::text[]) as name
      union
      select referring.conrelid from named join pg_constraint referring
        on referring.confrelid = named.oid and referring.contype = 'f'
    )
    select oid::regclass::text as name from named where pg_relation_size(oid) > 0`,
    [tables],
  );
  if (rows.length === 0) return;
  const deletes = rows.map(({ name }) => `delete from ${name}`);
  // One transaction, without foreign key checks: everything that refers to these rows goes with them.
  await pool.query(`set local session_replication_role = replica; ${deletes.join('; ')}`);
}
