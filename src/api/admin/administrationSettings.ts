import { z } from 'zod';
import type { Environment } from '../../protocol/chains.ts';
import { AdministrationError } from '../access/administrationError.ts';
import { findDevDirectory } from '../dev/devDirectory.ts';
import { findRunningDevStack } from '../dev/devStack.ts';

export type AdministrationSettings = { databaseUrl: string; environment: Environment };

const environmentShape = z.enum(['testnet', 'production']);

/**
 * Which database to administer, and for which environment keys are made: what `DATABASE_URL` and `ENVIRONMENT` say, or else
 * the development stack that runs.
 *
 * @throws AdministrationError where neither is there.
 */
export function readAdministrationSettings(env: NodeJS.ProcessEnv): AdministrationSettings {
  const environment = environmentShape.safeParse(env.ENVIRONMENT || 'testnet');
  if (!environment.success) throw new AdministrationError('ENVIRONMENT must be testnet or production.');
  const databaseUrl = env.DATABASE_URL || findRunningDevStack(findDevDirectory(env))?.databaseUrl;
  if (!databaseUrl) {
    throw new AdministrationError('Set DATABASE_URL, or start a development stack with npm run dev.');
  }
  if (!URL.canParse(databaseUrl)) throw new AdministrationError('DATABASE_URL is no URL.');
  return { databaseUrl, environment: environment.data };
}
