import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../database/database.ts';
import type { RowOf } from '../database/rowOf.ts';
import type { installationSecrets } from '../database/tables/installation.ts';

const secretBytes = 32;

/**
 * A secret of this installation: generated at the first request, stored in the database, and the same for
 * everybody afterwards.
 */
export async function readInstallationSecret(database: Queryable, name: string): Promise<Buffer> {
  const made = `0x${randomBytes(secretBytes).toString('hex')}`;
  await database.execute(sql`
    insert into service.installation_secrets (name, value) values (${name}, ${made}) on conflict do nothing`);
  const { rows } = await database.execute<RowOf<typeof installationSecrets, 'value'>>(sql`
    select value from service.installation_secrets where name = ${name}`);
  const [kept] = rows;
  if (!kept) throw new Error(`The installation secret ${name} is missing.`);
  return Buffer.from(kept.value.slice(2), 'hex');
}
