import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { findProgram } from '../../src/cli/build/builtPrograms.ts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { createDatabase } from '../../src/platform/database/database.ts';
import { migrateDatabase } from '../../src/platform/database/migrateDatabase.ts';
import { createLogger } from '../../src/platform/log/createLogger.ts';
import { createKey } from '../../src/records/principals/apiKeys.ts';
import { setEntitlement } from '../../src/records/principals/entitlements.ts';
import { createPrincipal } from '../../src/records/principals/principals.ts';
import { chainId, seedAgreements, seededTables } from './seedAgreements.ts';
import { startProgram } from './startProgram.ts';

/** The programs that are compared. */
export type Subject = 'service' | 'bare' | 'graphql';

export const rateLimit = 1_000_000;

/** A database with this many agreements, and the programs that answer from it. */
export type Installation = {
  readonly size: number;
  readonly databaseUrl: string;
  readonly principalId: string;
  readonly key: string;
  readonly indexSchema: string;
  readonly tables: readonly string[];
  readonly programs: Readonly<Record<Subject, { url: string; pid: number }>>;
};

/** Creates the database and starts the answering programs; `onClose` gets the functions that stop them. */
export async function install(
  size: number,
  options: {
    serverUrl: string;
    rpcUrl: string;
    profile: string | undefined;
    onClose: (closing: () => Promise<unknown>) => void;
  },
): Promise<Installation> {
  const { serverUrl, rpcUrl, profile, onClose } = options;
  const name = `agreements_${size}_${randomBytes(4).toString('hex')}`;
  const databaseUrl = await addDatabase(serverUrl, name);
  onClose(() => runOn(serverUrl, `drop database ${name} with (force)`));
  await migrateDatabase(databaseUrl);
  const { principalId, key } = await createCaller(databaseUrl);
  const [apiPort, barePort, indexerPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const env = {
    DATABASE_URL: databaseUrl,
    CHAINS: String(chainId),
    [`RPC_URL_${chainId}`]: rpcUrl,
    PORT: String(apiPort),
    INDEXER_PORT: String(indexerPort),
    INTERNAL_PORT: '0',
    RATE_LIMIT_READS: String(rateLimit),
    ENCRYPTION_KEY: '0'.repeat(64),
    LOG_LEVEL: 'warn',
  };
  const urls: Record<Subject, string> = {
    service: `http://127.0.0.1:${apiPort}`,
    bare: `http://127.0.0.1:${barePort}`,
    graphql: `http://127.0.0.1:${indexerPort}`,
  };
  const indexer = await startProgram({
    entry: findProgram('indexer'),
    env,
    url: `${urls.graphql}/ready`,
  });
  onClose(indexer.stop);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  onClose(() => pool.end());
  console.error(`seeding ${size} agreements`);
  const indexSchema = await findIndexSchema(pool);
  await seedAgreements(pool, { principalId, size, indexSchema });
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const api = await startProgram({
    entry: findProgram('api'),
    nodeFlags: ['--max-semi-space-size=8', ...flags],
    env,
    url: `${urls.service}/v0/health`,
  });
  onClose(api.stop);
  const bare = await startProgram({
    entry: 'bench/read/bareServer.ts',
    env: { DATABASE_URL: databaseUrl, PRINCIPAL_ID: principalId, PORT: String(barePort) },
    url: `${urls.bare}/v0/agreements`,
  });
  onClose(bare.stop);
  return {
    ...{ size, databaseUrl, principalId, key, indexSchema },
    tables: seededTables(indexSchema),
    programs: {
      service: { url: urls.service, pid: api.pid },
      bare: { url: urls.bare, pid: bare.pid },
      graphql: { url: urls.graphql, pid: indexer.pid },
    },
  };
}

async function addDatabase(serverUrl: string, name: string): Promise<string> {
  await runOn(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function runOn(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function createCaller(databaseUrl: string): Promise<{ principalId: string; key: string }> {
  const logger = createLogger({ level: 'silent', name: 'bench' });
  const { database, close } = createDatabase({
    url: databaseUrl,
    applicationName: 'bench',
    maxConnections: 1,
    logger,
  });
  try {
    const { id } = await createPrincipal(database, 'bench');
    await setEntitlement(database, { principal: id, scope: '*', mode: 'free_allowlist' });
    const { key } = await createKey(database, { principal: id, environment: 'testnet' });
    return { principalId: id, key };
  } finally {
    await close();
  }
}

/** The schema behind the views of the index. */
async function findIndexSchema(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname like 'chain_index\\_%'`,
  );
  const [schema, ...others] = rows;
  if (!schema || others.length > 0) throw new Error('There is not one schema of the index.');
  return schema.name;
}
