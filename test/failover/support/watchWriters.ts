import type pg from 'pg';
import { waitUntil } from '../../support/waitUntil.ts';

const startTimeoutMs = 300_000;

/** Notes in the database which sessions write into the index. A rolled-back write leaves no note. */
export async function watchWriters(pool: pg.Pool) {
  const schema = await waitUntil(
    'there is an index',
    async () => {
      const { rows } = await pool.query<{ name: string }>(
        `select schemaname as name from pg_tables where tablename = 'heads' and schemaname like 'chain\\_index\\_%'`,
      );
      return rows[0]?.name;
    },
    startTimeoutMs,
  );
  await pool.query(`
    create table public.index_writes (id bigserial primary key, session text not null);
    create function public.note_writer() returns trigger language plpgsql as $$
    begin
      insert into public.index_writes (session) values (current_setting('application_name'));
      return null;
    end $$;
    create trigger note_writer after insert or update or delete on "${schema}".heads
      for each statement execute function public.note_writer()`);

  /**
   * The sessions that wrote, in the order of their writes. A session that wrote again after another one is
   * listed twice.
   */
  const listTurns = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ session: string }>(
      `select session from (select id, session, lag(session) over (order by id) as before from public.index_writes) as written
       where before is distinct from session order by id`,
    );
    return rows.map(({ session }) => session);
  };
  return {
    listTurns,
    /** Waits until the index has reached a block of its chain. */
    async awaitHead(chainId: number, number: bigint, timeoutMs: number): Promise<void> {
      await waitUntil(
        `the index shows block ${number}`,
        async () => {
          const query = `select 1 from "${schema}".heads where chain_id = $1 and number >= $2`;
          return (await pool.query(query, [chainId, number])).rowCount === 1;
        },
        timeoutMs,
      );
    },
  };
}
