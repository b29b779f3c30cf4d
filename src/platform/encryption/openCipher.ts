import type { Logger } from 'pino';
import type { EncryptionKeys } from '../config/encryptionKeys.ts';
import type { Database } from '../database/database.ts';
import { type Cipher, createCipher } from './cipher.ts';
import { readInstallationKey } from './installationKey.ts';

/**
 * The cipher of an installation: it encrypts with the first key of the operator, or with the installation's own where the
 * operator names none, which is logged. What was encrypted with the own key before can still be decrypted afterwards.
 */
export async function openCipher(options: {
  database: Database;
  keys: EncryptionKeys | undefined;
  logger: Logger;
}): Promise<Cipher> {
  const { database, keys, logger } = options;
  const own = await readInstallationKey(database);
  if (keys) return createCipher([...keys, ...own]);
  logger.warn('ENCRYPTION_KEY is not set: what is encrypted has its key in the same database');
  return createCipher(own);
}
