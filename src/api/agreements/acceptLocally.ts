import type { Abi, Hex } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import type { LocalFacts } from '../admission/createAdmission.ts';
import { type AcceptedPermit, findOpenDigest, type Permit, requireSendable } from './acceptPermit.ts';
import type { FundedWallet } from './findWallet.ts';
import { findDigestFor, matchPermit } from './matchPermit.ts';
import { requireTime } from './permitTime.ts';
import { refuseNonceInFlight } from './refuseHeldNonce.ts';

/**
 * Checks a permit for an input against index and outbox, without a node.
 *
 * @throws RefusedError as `acceptPermit` does, in its order; `nonce_in_flight` if another open permit holds the nonce.
 */
export async function acceptLocally(
  permit: Permit,
  context: {
    readonly facts: LocalFacts;
    readonly database: Database;
    readonly wallet: FundedWallet | undefined;
    readonly actionErrors: Abi;
    readonly lifetimeSeconds: number;
    /** The permit's digest at `facts.nonce`, if its signature is known to match. */
    readonly digest?: Hex | undefined;
  },
): Promise<AcceptedPermit> {
  const { facts, database, wallet, actionErrors, lifetimeSeconds } = context;
  const { nonce, minedNonce, simulation, gas } = facts;
  await requireTime(permit.deadline, { facts, lifetimeSeconds, database });
  const { chainId } = permit;
  try {
    const digest = context.digest ?? (await matchPermit(permit, { nonce, client: undefined, minedNonce }));
    requireSendable({ simulation, wallet, chainId, actionErrors });
    return { nonce, digest, gas: gas ?? null };
  } catch (error) {
    const signed = error instanceof RefusedError ? findSignedNonce(error) : undefined;
    if (signed === undefined || signed < minedNonce || signed >= nonce) throw error;
    // Another principal has sent the same permit, or another permit holds its nonce.
    const open = await findOpenDigest(database, permit, signed);
    if (open === undefined || open !== findDigestFor(permit, signed)) throw refuseNonceInFlight(signed);
    return { nonce: signed, digest: open, gas: null };
  }
}

/** The nonce that a refused permit signs, if it is an earlier one. */
function findSignedNonce({ reason, facts }: RefusedError): bigint | undefined {
  const { signedNonce } = facts;
  return reason === 'stale_nonce' && typeof signedNonce === 'string' ? BigInt(signedNonce) : undefined;
}
