import { asc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.ts';
import { inTransaction } from '../../platform/database/inTransaction.ts';
import { entitlements, principals } from '../../platform/database/tables/access.ts';
import { notifyAccessChanged } from './accessChanged.ts';
import { getPrincipal } from './principals.ts';
import type { EntitlementMode, GrantableScope } from './scopes.ts';

export type PrincipalEntitlement = {
  principalId: string;
  principalName: string;
  scope: string;
  mode: EntitlementMode;
  updatedAt: Date;
};

/**
 * Sets a principal's (by id or name) mode for a scope, replacing the earlier one. In force on every process
 * within a second.
 *
 * @throws AdministrationError if there is no such principal.
 */
export async function setEntitlement(
  database: Database,
  { principal, scope, mode }: { principal: string; scope: GrantableScope; mode: EntitlementMode },
): Promise<PrincipalEntitlement> {
  return inTransaction(database, async (transaction) => {
    const { id, name } = await getPrincipal(transaction, principal);
    const updatedAt = new Date();
    await transaction
      .insert(entitlements)
      .values({ principalId: id, scope, mode, updatedAt })
      .onConflictDoUpdate({
        target: [entitlements.principalId, entitlements.scope],
        set: { mode: sql`excluded.mode`, updatedAt: sql`excluded.updated_at` },
      });
    await notifyAccessChanged(transaction, id);
    return { principalId: id, principalName: name, scope, mode, updatedAt };
  });
}

/**
 * The entitlements of one principal (by id or name), or of all.
 *
 * @throws AdministrationError if there is no such principal.
 */
export async function listEntitlements(
  database: Database,
  { principal }: { principal?: string | undefined } = {},
): Promise<PrincipalEntitlement[]> {
  const only = principal === undefined ? undefined : await getPrincipal(database, principal);
  return database
    .select({
      principalId: principals.id,
      principalName: principals.name,
      scope: entitlements.scope,
      mode: entitlements.mode,
      updatedAt: entitlements.updatedAt,
    })
    .from(entitlements)
    .innerJoin(principals, eq(principals.id, entitlements.principalId))
    .where(only && eq(principals.id, only.id))
    .orderBy(asc(principals.createdAt), asc(principals.id), asc(entitlements.scope));
}
