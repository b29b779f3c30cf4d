import { AgreementsClient } from '../../../client/src/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Environment } from '../../protocol/chains.ts';
import { createKey } from '../../records/principals/apiKeys.ts';
import { setEntitlement } from '../../records/principals/entitlements.ts';
import { createPrincipal, listPrincipals } from '../../records/principals/principals.ts';

const principalName = 'dev';

/** Creates a key with all permissions for the development stacks' principal, which is created too if missing. */
export async function createDevKey(
  database: Database,
  environment: Environment = 'testnet',
): Promise<string> {
  const principals = await listPrincipals(database);
  const known = principals.find(({ name }) => name === principalName);
  const principal = known ?? (await createPrincipal(database, principalName));
  await setEntitlement(database, { principal: principal.id, scope: '*', mode: 'free_allowlist' });
  const { key } = await createKey(database, {
    principal: principal.id,
    environment,
    label: 'npm run dev',
  });
  return key;
}

export async function isKeyAccepted(baseUrl: string, apiKey: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/v0/agreements?limit=1`, { headers: { 'x-api-key': apiKey } });
  await response.arrayBuffer();
  return response.ok;
}

/** A link that logs one browser in to the console. */
export async function createConsoleLink(baseUrl: string, apiKey: string): Promise<string> {
  const client = new AgreementsClient({ baseUrl, apiKey });
  const { url } = await client.sessions.createLink({ expiresInSeconds: 86_400, label: 'npm run dev' });
  return url;
}
