import { asc, eq } from 'drizzle-orm';
import type { Database, DatabaseTransaction } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { inTransaction } from '../../platform/database/inTransaction.ts';
import { apiKeys, principals } from '../../platform/database/tables/access.ts';
import type { Environment } from '../../protocol/chains.ts';
import { notifyAccessChanged } from './accessChanged.ts';
import { AdministrationError } from './administrationError.ts';
import { createApiKeyText, hashApiKey } from './apiKey.ts';
import { getPrincipal, type Principal } from './principals.ts';

/** The public data of a key, without the key or its hash. */
export type ApiKeyFacts = {
  id: string;
  principalId: string;
  principalName: string;
  label: string | null;
  status: 'active' | 'disabled' | 'revoked';
  createdAt: Date;
  lastUsedAt: Date | null;
  endedAt: Date | null;
};

/** A key at its creation, the only moment when its text is known. */
export type NewApiKey = ApiKeyFacts & { key: string };

const facts = {
  id: apiKeys.id,
  principalId: principals.id,
  principalName: principals.name,
  label: apiKeys.label,
  status: apiKeys.status,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  endedAt: apiKeys.endedAt,
};

/**
 * Creates a key of a principal (by id or name) for an environment.
 *
 * @throws AdministrationError if there is no such principal.
 */
export async function createKey(
  database: Database,
  options: { principal: string; environment: Environment; label?: string | undefined },
): Promise<NewApiKey> {
  const principal = await getPrincipal(database, options.principal);
  return inTransaction(database, (transaction) =>
    insertKey(transaction, { principal, environment: options.environment, label: options.label ?? null }),
  );
}

/**
 * The keys of one principal (by id or name), or of all, oldest first.
 *
 * @throws AdministrationError if there is no such principal.
 */
export async function listKeys(
  database: Database,
  { principal }: { principal?: string | undefined } = {},
): Promise<ApiKeyFacts[]> {
  const only = principal === undefined ? undefined : await getPrincipal(database, principal);
  return database
    .select(facts)
    .from(apiKeys)
    .innerJoin(principals, eq(principals.id, apiKeys.principalId))
    .where(only && eq(principals.id, only.id))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
}

/**
 * Revokes a key permanently, on every process within a second. A revoked key stays unchanged.
 *
 * @throws AdministrationError if there is no key of that id.
 */
export function revokeKey(database: Database, keyId: string): Promise<ApiKeyFacts> {
  return inTransaction(database, (transaction) => endKey(transaction, { keyId, status: 'revoked' }));
}

/**
 * Suspends a key, on every process within a second, until it is enabled.
 *
 * @throws AdministrationError if there is no key of that id, or it is revoked.
 */
export function disableKey(database: Database, keyId: string): Promise<ApiKeyFacts> {
  return inTransaction(database, (transaction) => endKey(transaction, { keyId, status: 'disabled' }));
}

/**
 * Reactivates a disabled key, on every process within a second. An active key stays unchanged.
 *
 * @throws AdministrationError if there is no key of that id, or it is revoked.
 */
export function enableKey(database: Database, keyId: string): Promise<ApiKeyFacts> {
  return inTransaction(database, async (transaction) => {
    const key = await lockKey(transaction, keyId);
    if (key.status === 'active') return key;
    if (key.status === 'revoked') throw new AdministrationError(`The key ${keyId} is revoked.`);
    const active = { status: 'active', endedAt: null } as const;
    await transaction.update(apiKeys).set(active).where(eq(apiKeys.id, keyId));
    await notifyAccessChanged(transaction, key.principalId);
    return { ...key, ...active };
  });
}

/**
 * Revokes a key and creates another with the same principal and label in one step.
 *
 * @throws AdministrationError if there is no key of that id, or it is revoked already.
 */
export async function rotateKey(
  database: Database,
  { keyId, environment }: { keyId: string; environment: Environment },
): Promise<NewApiKey> {
  return inTransaction(database, async (transaction) => {
    const old = await lockKey(transaction, keyId);
    if (old.status === 'revoked') throw new AdministrationError(`The key ${keyId} is revoked.`);
    const { principalId, principalName, label } = await endKey(transaction, { keyId, status: 'revoked' });
    return insertKey(transaction, {
      principal: { id: principalId, name: principalName },
      environment,
      label,
    });
  });
}

async function insertKey(
  transaction: DatabaseTransaction,
  options: { principal: Pick<Principal, 'id' | 'name'>; environment: Environment; label: string | null },
): Promise<NewApiKey> {
  const { principal, label } = options;
  const key = createApiKeyText(options.environment);
  const row = { id: createId('key'), principalId: principal.id, label, createdAt: new Date() };
  await transaction.insert(apiKeys).values({ ...row, keyHash: hashApiKey(key) });
  await notifyAccessChanged(transaction, principal.id);
  return {
    ...row,
    principalName: principal.name,
    status: 'active',
    lastUsedAt: null,
    endedAt: null,
    key,
  };
}

async function endKey(
  transaction: DatabaseTransaction,
  { keyId, status }: { keyId: string; status: 'disabled' | 'revoked' },
): Promise<ApiKeyFacts> {
  const key = await lockKey(transaction, keyId);
  if (key.status === status) return key;
  if (key.status === 'revoked') throw new AdministrationError(`The key ${keyId} is revoked.`);
  const endedAt = new Date();
  await transaction.update(apiKeys).set({ status, endedAt }).where(eq(apiKeys.id, keyId));
  await notifyAccessChanged(transaction, key.principalId);
  return { ...key, status, endedAt };
}

async function lockKey(transaction: DatabaseTransaction, keyId: string): Promise<ApiKeyFacts> {
  const [found] = await transaction
    .select(facts)
    .from(apiKeys)
    .innerJoin(principals, eq(principals.id, apiKeys.principalId))
    .where(eq(apiKeys.id, keyId))
    // Locks both rows: PostgreSQL refuses Drizzle's spelling of a table for `of`. Keys can still be created
    // meanwhile.
    .for('no key update');
  if (!found) throw new AdministrationError(`No key has the id ${keyId}.`);
  return found;
}
