import pg from 'pg';
import { createMigratedDatabase } from '../../../support/postgres.ts';
import { createExplainedPool, type ExplainedPool } from '../../support/explainedPool.ts';
import { seedEarly, seedPrincipals } from './seed.ts';

export const principalId = 'prn_many';

const tables = ['records', 'inputs', 'events', 'deliveries'].map((name) => `service.${name}`);

/**
 * PostgreSQL's two ways to plan a prepared statement: first for the given parameters, later a generic plan.
 */
const modes = ['force_custom_plan', 'force_generic_plan'] as const;
type Mode = (typeof modes)[number];

/** The age of the statistics. `prepare` turns the state before into this one. */
const statistics = [
  { state: 'stale', async prepare() {} },
  {
    state: 'missing',
    async prepare(writer: pg.Pool) {
      await writer.query('delete from pg_statistic where starelid = any($1::regclass[])', [tables]);
      await writer.query(
        `update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
        where oid = any($1::regclass[]) or oid in (select indexrelid from pg_index where indrelid = any($1::regclass[]))`,
        [tables],
      );
    },
  },
  {
    state: 'fresh',
    async prepare(writer: pg.Pool) {
      for (const table of tables) await writer.query(`vacuum (analyze) ${table}`);
    },
  },
] as const;

/** Each plan mode with statistics of each age. Keep this order: each case prepares the next. */
export const planCases = statistics.flatMap(({ state, prepare }) =>
  modes.map((mode, at) => ({
    state,
    mode,
    prepare: async (writer: pg.Pool) => {
      if (at === 0) await prepare(writer);
    },
  })),
);

export type ManyRows = {
  /** Sees and changes everything; its statements are not explained. */
  writer: pg.Pool;
  explainedPool(mode: Mode): ExplainedPool;
  close(): Promise<void>;
};

/**
 * A database whose statistics date from a moment when the tables were nearly empty. Then `seed` fills it. The
 * statistics stay old until a case prepares others.
 */
export async function createManyRows(seed: (writer: pg.Pool) => Promise<void>): Promise<ManyRows> {
  const database = await createMigratedDatabase();
  const writer = new pg.Pool({ connectionString: database.url, max: 1 });
  for (const table of tables) await writer.query(`alter table ${table} set (autovacuum_enabled = off)`);
  await seedPrincipals(writer, principalId);
  await seedEarly(writer, principalId);
  for (const table of tables) await writer.query(`vacuum (analyze) ${table}`);
  await insertFast(writer, () => seed(writer));
  const poolOf = (mode: Mode) => createExplainedPool(database.url, { plan_cache_mode: mode });
  const pools = { force_custom_plan: poolOf(modes[0]), force_generic_plan: poolOf(modes[1]) };
  return {
    writer,
    explainedPool: (mode) => pools[mode],
    async close() {
      for (const { pool } of Object.values(pools)) await pool.end();
      await writer.end();
      await database.drop();
    },
  };
}

/**
 * Inserts in half the time: without foreign key checks, and with the indexes rebuilt afterwards. Restores the
 * recorded sizes of tables and indexes, which inserting rows one by one would not change either.
 */
async function insertFast(writer: pg.Pool, insert: () => Promise<void>): Promise<void> {
  const ofTables = 'select indexrelid from pg_index where indrelid = any($1::regclass[])';
  const { rows: sizes } = await writer.query(
    `select oid, reltuples, relpages, relallvisible from pg_class where oid = any($1::regclass[]) or oid in (${ofTables})`,
    [tables],
  );
  // Inserts skip an index that is not ready, and its statistics stay.
  await writer.query(`update pg_index set indisready = false where indexrelid in (${ofTables})`, [tables]);
  await writer.query('set session_replication_role = replica');
  await insert();
  await writer.query('reset session_replication_role');
  for (const table of tables) await writer.query(`reindex table ${table}`);
  for (const { oid, reltuples, relpages, relallvisible } of sizes)
    await writer.query(
      'update pg_class set reltuples = $2, relpages = $3, relallvisible = $4 where oid = $1',
      [oid, reltuples, relpages, relallvisible],
    );
}
