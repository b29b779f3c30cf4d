import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { createKey } from '../../../src/api/access/apiKeys.ts';
import { setEntitlement } from '../../../src/api/access/entitlements.ts';
import { createPrincipal } from '../../../src/api/access/principals.ts';
import type { GrantableScope } from '../../../src/api/access/scopes.ts';
import { readConfiguration } from '../../../src/api/config/configuration.ts';
import { createDatabase, type DatabaseHandle } from '../../../src/api/database/database.ts';
import { migrateDatabase } from '../../../src/api/database/migrateDatabase.ts';
import { startApi } from '../../../src/api/http/startApi.ts';
import { createLogger } from '../../../src/api/log/createLogger.ts';
import type { Closing } from '../../../src/api/start/runService.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { type Call, createCall } from './call.ts';

export type TestPrincipal = { id: string; name: string; key: string; call: Call };

export type TestService = {
  baseUrl: string;
  databaseUrl: string;
  handle: DatabaseHandle;
  /** What the API has logged, line by line. */
  logLines: string[];
  /** A principal with a key of its own; entitled to everything unless other scopes are given. */
  createPrincipal(scopes?: readonly GrantableScope[]): Promise<TestPrincipal>;
  /** How many rows each table of the service holds that a request may write to. */
  countRows(): Promise<Record<string, number>>;
  close(): Promise<void>;
};

/** A free port to which nobody listens would do; this one is reserved and never answers. */
const nobody = 'http://127.0.0.1:9';

/** The API over a database of its own, in this process. Chains without a URL do not answer. */
export async function startTestService(
  options: { rpcUrls?: Readonly<Record<number, string>>; env?: Readonly<Record<string, string>> } = {},
): Promise<TestService> {
  const { rpcUrls = {}, env = {} } = options;
  const testDatabase = await createTestDatabase();
  const databaseUrl = testDatabase.url;
  await migrateDatabase(databaseUrl);
  const logLines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logLines.push(String(chunk));
      done();
    },
  });
  const logger = createLogger({ level: 'info', name: 'api', destination });
  const configuration = readConfiguration({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    ...Object.fromEntries([59141, 11155111, 84532].map((id) => [`RPC_URL_${id}`, rpcUrls[id] ?? nobody])),
    ...env,
  });
  const closings: Closing[] = [];
  const port = await startApi(configuration, { logger, onClose: (closing) => closings.push(closing) });
  const baseUrl = `http://127.0.0.1:${port}`;
  const handle = createDatabase({
    url: databaseUrl,
    applicationName: 'test',
    maxConnections: 4,
    logger,
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
      for (const { close } of closings.toReversed()) await close();
      await handle.close();
      await testDatabase.drop();
    },
  };
}
