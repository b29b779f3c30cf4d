import type { LogPosition } from '../../platform/database/reads.ts';
import { type Access, authorize, type Caller } from '../authentication/authenticator.ts';

type Waiting = {
  readonly caller: Caller;
  /** Undefined for a request that waits for nothing. */
  readonly consistency: string | undefined;
  readonly access: Access;
  /** Recognises the caller again. */
  check(): Promise<Caller>;
  /** Resolves once reads after the returned position show the writes of a principal's token. */
  awaitConsistency(token: { consistency: string; principalId: string }): Promise<LogPosition>;
};

/**
 * Waits until reads show the writes of a request's token. The caller is authorised again afterwards: during the wait its
 * key may be revoked, its session may end, and its principal may lose the scope.
 *
 * @throws AccessError for a caller that is no longer authorised, and whatever `awaitConsistency` throws.
 */
export async function awaitWrites({
  caller,
  consistency,
  access,
  check,
  awaitConsistency,
}: Waiting): Promise<{ caller: Caller; readAfter: LogPosition }> {
  if (consistency === undefined) return { caller, readAfter: undefined };
  const readAfter = await awaitConsistency({ consistency, principalId: caller.principalId });
  const current = await check();
  authorize(current, access);
  return { caller: current, readAfter };
}
