import { unsettledStates } from '../../platform/database/tables/transactions.ts';
import type { Services } from '../../records/agreements/services.ts';
import type { AcceptedPermit } from './acceptPermit.ts';
import type { CompiledInput } from './inputPermit.ts';
import { findSentPermit } from './recognisePermit.ts';

/**
 * The permit of a refused input, if it is open already, whoever sent it: it will take effect, so its sender must not hear that it
 * is refused. It was accepted, so its signer is proved.
 */
export async function findSharedPermit(
  compiled: CompiledInput | undefined,
  { database }: Pick<Services, 'database'>,
): Promise<(AcceptedPermit & { readonly compiled: CompiledInput }) | undefined> {
  const open = compiled && (await findSentPermit(database, compiled.call, unsettledStates));
  return open && { ...open, gas: null, compiled };
}
