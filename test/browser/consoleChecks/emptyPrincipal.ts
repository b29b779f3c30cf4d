import pino from 'pino';
import { createDatabase } from '../../../src/platform/database/database.ts';
import { createKey } from '../../../src/records/principals/apiKeys.ts';
import { setEntitlement } from '../../../src/records/principals/entitlements.ts';
import { createPrincipal } from '../../../src/records/principals/principals.ts';

/**
 * Creates a principal that may do everything and owns nothing yet.
 * @returns its API key.
 */
export async function createEmptyPrincipal(databaseUrl: string, name: string): Promise<string> {
  const { database, close } = createDatabase({
    url: databaseUrl,
    applicationName: 'console checks',
    maxConnections: 1,
    logger: pino({ level: 'silent' }),
  });
  try {
    const { id: principal } = await createPrincipal(database, name);
    await setEntitlement(database, { principal, scope: '*', mode: 'free_allowlist' });
    const { key } = await createKey(database, { principal, environment: 'testnet', label: name });
    return key;
  } finally {
    await close();
  }
}
