import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { startApi } from '../../../src/api/startApi.ts';
import { readConfiguration } from '../../../src/platform/config/configuration.ts';
import { readConsoleSettings } from '../../../src/platform/config/consoleSettings.ts';
import { readEncryptionKeys } from '../../../src/platform/config/encryptionKeys.ts';
import type { InternalServerSettings } from '../../../src/platform/config/internalServerSettings.ts';
import { readWebhookSettings } from '../../../src/platform/config/webhookSettings.ts';
import { createDatabase, type DatabaseHandle } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/log/createLogger.ts';
import type { Closing } from '../../../src/platform/supervision/runService.ts';
import { supportedChains } from '../../../src/protocol/index.ts';
import { createKey } from '../../../src/records/principals/apiKeys.ts';
import { setEntitlement } from '../../../src/records/principals/entitlements.ts';
import { createPrincipal } from '../../../src/records/principals/principals.ts';
import type { GrantableScope } from '../../../src/records/principals/scopes.ts';
import { createMigratedDatabase } from '../../support/postgres.ts';
import { type Call, createCall } from './call.ts';

export type TestPrincipal = { id: string; name: string; key: string; call: Call };

export type TestService = {
  baseUrl: string;
  databaseUrl: string;
  handle: DatabaseHandle;
  logLines: string[];
  /** Creates a principal with its own key, and with all scopes unless others are given. */
  createPrincipal(scopes?: readonly GrantableScope[]): Promise<TestPrincipal>;
  /** The number of rows in each table that a request may write to. */
  countRows(): Promise<Record<string, number>>;
  close(): Promise<void>;
};

/** Nothing listens on the discard port. */
const nobody = 'http://127.0.0.1:9';

/** All APIs of one test share it, like the replicas of an installation. */
export const encryptionKey = randomBytes(32).toString('hex');

export type ApiOptions = {
  /** Chains without a URL do not answer. */
  rpcUrls?: Readonly<Record<number, string>>;
  env?: Readonly<Record<string, string>>;
  /** The address of the internal server; by default there is none. */
  internal?: InternalServerSettings;
};

export type TestApi = { baseUrl: string; logLines: string[]; close(): Promise<void> };

/** One API inside this process, over a database that is up to date. */
export async function startTestApi(
  databaseUrl: string,
  { rpcUrls = {}, env = {}, internal }: ApiOptions,
): Promise<TestApi> {
  const logLines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logLines.push(String(chunk));
      done();
    },
  });
  const configuration = readConfiguration({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    SHUTDOWN_GRACE_MS: '0',
    // Tests call as fast as they can; tests of the rate limits set lower values.
    RATE_LIMIT_READS: '100000',
    RATE_LIMIT_WRITES: '100000',
    ...Object.fromEntries(
      supportedChains('testnet').map(({ chainId }) => [`RPC_URL_${chainId}`, rpcUrls[chainId] ?? nobody]),
    ),
    ...env,
  });
  const closings: Closing[] = [];
  const close = async () => {
    for (const closing of closings.splice(0).reverse()) await closing.close();
  };
  const port = await startApi(configuration, {
    internal,
    webhookSettings: readWebhookSettings(env),
    consoleSettings: readConsoleSettings(env),
    encryptionKeys: readEncryptionKeys({ ENCRYPTION_KEY: encryptionKey, ...env }),
    logger: createLogger({ level: 'info', name: 'api', destination }),
    onClose: (closing) => closings.push(closing),
  }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    logLines,
    close,
  };
}

/** The API over a new database. */
export async function startTestService(options: ApiOptions = {}): Promise<TestService> {
  const testDatabase = await createMigratedDatabase();
  const databaseUrl = testDatabase.url;
  const { baseUrl, logLines, close } = await startTestApi(databaseUrl, options);
  const handle = createDatabase({
    url: databaseUrl,
    applicationName: 'test',
    maxConnections: 4,
    logger: createLogger({ level: 'silent', name: 'test' }),
  });
  return {
    baseUrl,
    databaseUrl,
    handle,
    logLines,
    async createPrincipal(scopes = ['*']) {
      const { id, name } = await createPrincipal(handle.database, `p${randomBytes(6).toString('hex')}`);
      for (const scope of scopes)
        await setEntitlement(handle.database, { principal: id, scope, mode: 'free_allowlist' });
      const { key } = await createKey(handle.database, { principal: id, environment: 'testnet' });
      return { id, name, key, call: createCall(baseUrl, key) };
    },
    async countRows() {
      const { rows } = await handle.pool.query<Record<string, number>>(`select
        (select count(*)::int from service.records) as records,
        (select count(*)::int from service.inputs) as inputs,
        (select count(*)::int from service.transactions) as transactions`);
      return rows[0] ?? {};
    },
    async close() {
      await close();
      await handle.close();
      await testDatabase.drop();
    },
  };
}
