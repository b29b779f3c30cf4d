import { asc, eq, or } from 'drizzle-orm';
import type { Queryable } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { principals } from '../../platform/database/tables/access.ts';
import { AdministrationError } from './administrationError.ts';

export type Principal = typeof principals.$inferSelect;

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,99}$/u;

/**
 * Registers a principal, which has no entitlement and no key at first.
 *
 * @throws AdministrationError if the name is taken or unusable; a name that looks like an id would be ambiguous.
 */
export async function createPrincipal(database: Queryable, name: string): Promise<Principal> {
  if (!namePattern.test(name) || name.startsWith('prn_'))
    throw new AdministrationError(
      'A name must start with a letter or digit, must not start with prn_, and may have up to 100 letters, digits, spaces and . _ @ + - characters.',
    );
  const [created] = await database
    .insert(principals)
    .values({ id: createId('prn'), name })
    .onConflictDoNothing()
    .returning();
  if (!created) throw new AdministrationError(`A principal named ${name} already exists.`);
  return created;
}

/** All principals, oldest first. */
export function listPrincipals(database: Queryable): Promise<Principal[]> {
  return database.select().from(principals).orderBy(asc(principals.createdAt), asc(principals.id));
}

/**
 * The principal of that id or name.
 *
 * @throws AdministrationError if the principal does not exist.
 */
export async function getPrincipal(database: Queryable, idOrName: string): Promise<Principal> {
  const [found] = await database
    .select()
    .from(principals)
    .where(or(eq(principals.id, idOrName), eq(principals.name, idOrName)));
  if (!found) throw new AdministrationError(`No principal has the id or name ${idOrName}.`);
  return found;
}
