import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { type EncryptionKeys, readEncryptionKeys } from '../../platform/config/encryptionKeys.ts';
import type { Environment } from '../../protocol/chains.ts';
import { AdministrationError } from '../../records/principals/administrationError.ts';
import { findDevDirectory } from '../dev/devDirectory.ts';
import { findRunningDevStack } from '../dev/devStack.ts';

export type AdministrationSettings = {
  databaseUrl: string;
  environment: Environment;
  /**
   * The keys with which the service of that database encrypts; undefined if its operator set none. @throws
   * ConfigurationError
   */
  readKeys(): EncryptionKeys | undefined;
};

const environmentShape = z.enum(['testnet', 'production']);

/**
 * Which database to administer, and the environment of new keys: from `DATABASE_URL` and `ENVIRONMENT`, or
 * else from the running development stack.
 *
 * @throws AdministrationError if neither is there.
 */
export function readAdministrationSettings(env: NodeJS.ProcessEnv): AdministrationSettings {
  const environment = environmentShape.safeParse(env.ENVIRONMENT || 'testnet');
  if (!environment.success) throw new AdministrationError('ENVIRONMENT must be testnet or production.');
  const directory = findDevDirectory(env);
  const databaseUrl = env.DATABASE_URL || findRunningDevStack(directory)?.databaseUrl;
  if (!databaseUrl) {
    throw new AdministrationError('Set DATABASE_URL, or start a development stack with npm run dev.');
  }
  if (!URL.canParse(databaseUrl)) throw new AdministrationError('DATABASE_URL is not a URL.');
  const readKeys = () =>
    env.DATABASE_URL || env.ENCRYPTION_KEY
      ? readEncryptionKeys(env)
      : readEncryptionKeys({ ENCRYPTION_KEY: readDevKey(directory.encryptionKeyFile) });
  return { databaseUrl, environment: environment.data, readKeys };
}

function readDevKey(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
