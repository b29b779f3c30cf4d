import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { EncryptionKeys } from '../config/encryptionKeys.ts';
import type { Database } from '../database/database.ts';
import { installationSecrets } from '../database/tables/installation.ts';

const name = 'encryption_key';
const keyBytes = 32;

/**
 * The key of an installation whose operator names none: made once, and kept in the database beside what it encrypts. It keeps
 * that out of logs and careless queries, but not from whoever has the database; a key from the environment does that too.
 */
export async function readInstallationKey(database: Database): Promise<EncryptionKeys> {
  const made = `0x${randomBytes(keyBytes).toString('hex')}` as const;
  await database.insert(installationSecrets).values({ name, value: made }).onConflictDoNothing();
  const [kept] = await database
    .select({ value: installationSecrets.value })
    .from(installationSecrets)
    .where(eq(installationSecrets.name, name));
  if (!kept) throw new Error('The encryption key of the installation is gone.');
  return [Buffer.from(kept.value.slice(2), 'hex')];
}
