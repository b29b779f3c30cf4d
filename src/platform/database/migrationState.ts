import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { z } from 'zod';
import { serviceSchemaName } from './schema.ts';

const journal = new URL('migrations/meta/_journal.json', import.meta.url);
const journalShape = z.object({ entries: z.array(z.object({ when: z.int() })).min(1) });

/**
 * Whether the tables are at least as new as this program's migrations. A newer program may have migrated
 * further.
 */
export function createMigrationCheck(pool: pg.Pool): () => Promise<boolean> {
  const { entries } = journalShape.parse(JSON.parse(readFileSync(journal, 'utf8')));
  const newest = Math.max(...entries.map(({ when }) => when));
  return async () => {
    const { rows } = await pool.query<{ is_done: boolean | null }>(
      `select max(created_at) >= $1 as is_done from ${serviceSchemaName}.migrations`,
      [newest],
    );
    return rows[0]?.is_done === true;
  };
}
