import type { Abi, Address, Hex, PublicClient } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import { transactions } from '../../platform/database/tables/transactions.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { decodeRevert } from '../../platform/nodes/decodeRevert.ts';
import { findOwnError, findOwnRefusal } from '../../platform/nodes/ownRefusal.ts';
import type { PermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import type { Simulation } from '../../platform/nodes/simulateCall.ts';
import { tellRevert } from '../../platform/nodes/tellRevert.ts';
import { findNextNonce } from './findNextNonce.ts';
import type { FundedWallet } from './findWallet.ts';
import { holdsNonce } from './holdsNonce.ts';
import { findDigestFor, matchPermit, type SentPermit } from './matchPermit.ts';
import { requireTime } from './permitTime.ts';
import { refuseHeldNonce } from './refuseHeldNonce.ts';

export type Permit = SentPermit & {
  readonly chainId: number;
  readonly contract: Address;
  /** Unix seconds. */
  readonly deadline: bigint;
};

/**
 * A permit that the contract would accept now, with a wallet able to send it; or a permit that is already
 * under way.
 */
export type AcceptedPermit = {
  readonly nonce: bigint;
  readonly digest: Hex;
  /** Null if the permit is under way, or comes after others. */
  readonly gas: bigint | null;
};

/**
 * Checks a permit against the chain.
 *
 * @throws RefusedError for the deadline, the nonce, the signature, a revert, or the lack of a wallet, in this order. If
 * the call would revert or no wallet can send it, a held nonce is reported instead. Otherwise storing the permit
 * detects it. A revert has the reason that fits the contract's error about the permit or the input, otherwise
 * `action_reverted`.
 */
export async function acceptPermit(
  permit: Permit,
  context: {
    readonly facts: PermitFacts;
    readonly client: PublicClient;
    readonly database: Database;
    readonly wallet: FundedWallet | undefined;
    readonly actionErrors: Abi;
    /** How far ahead a deadline may lie. */
    readonly lifetimeSeconds: number;
    /**
     * Whether a permit may come after open permits of its signer: nobody can simulate it before they are
     * mined.
     */
    readonly mayFollow: boolean;
  },
): Promise<AcceptedPermit> {
  const { facts, client, database, wallet, actionErrors, lifetimeSeconds, mayFollow } = context;
  const { nonce } = facts;
  await requireTime(permit.deadline, { facts, lifetimeSeconds, database });
  const { chainId } = permit;
  const following =
    mayFollow && facts.simulation?.ok !== true && (await findFollowing(database, permit, nonce));
  if (following) {
    requireWallet(wallet, chainId);
    return following;
  }
  const digest = await matchPermit(permit, { nonce, client });
  try {
    const gas = requireSendable({ simulation: facts.simulation, wallet, chainId, actionErrors });
    return { nonce, digest, gas };
  } catch (error) {
    // A permit that can be sent needs no look-up: if another permit holds the nonce, storing it fails.
    const open = await findOpenDigest(database, permit, nonce);
    if (open !== undefined && open !== digest) throw await refuseHeldNonce(permit, { nonce, client });
    // The signature is valid for the nonce of the latest block, but an unmined transaction holds that nonce.
    if (findOwnError(facts.simulation) !== 'InvalidSignature') throw error;
    if (open === undefined) throw await refuseHeldNonce(permit, { nonce, client });
    return { nonce, digest, gas: null };
  }
}

/**
 * The gas of the call, if it can be sent.
 *
 * @throws RefusedError if it would revert, with the contract's reason, or `action_reverted`; `relayer_unfunded` if no
 * wallet can send it or pay for it.
 */
export function requireSendable(call: {
  readonly simulation: Simulation | undefined;
  readonly wallet: FundedWallet | undefined;
  readonly chainId: number;
  readonly actionErrors: Abi;
}): bigint {
  const gas = requireSuccess(call.simulation, call.actionErrors);
  const { wallet, chainId } = call;
  requirePayable(gas, { wallet: requireWallet(wallet, chainId), chainId });
  return gas;
}

/** @throws RefusedError `relayer_unfunded` if the chain has no wallet that sends. */
function requireWallet(wallet: FundedWallet | undefined, chainId: number): FundedWallet {
  if (wallet) return wallet;
  throw new RefusedError('relayer_unfunded', 'No funded relayer wallet is available on this chain.', {
    facts: { chainId },
  });
}

/** The permit as a successor of its signer's open permits, if it was signed for that. */
async function findFollowing(
  database: Database,
  permit: Permit,
  mined: bigint,
): Promise<AcceptedPermit | undefined> {
  const next = await findNextNonce(database, { ...permit, mined });
  const digest = next > mined ? findDigestFor(permit, next) : undefined;
  return digest && { nonce: next, digest, gas: null };
}

/** @throws RefusedError `relayer_unfunded` for a transaction that costs more than the wallet with the most funds has. */
export function requirePayable(
  gas: bigint,
  { wallet: { payableGas }, chainId }: { wallet: FundedWallet; chainId: number },
): void {
  if (payableGas === null || gas <= payableGas) return;
  const message =
    'No relayer wallet can pay for a transaction this expensive. Cheaper transactions are still sent.';
  throw new RefusedError('relayer_unfunded', message, {
    facts: { chainId, gas: gas.toString(), payableGas: payableGas.toString() },
  });
}

function requireSuccess(simulation: Simulation | undefined, actionErrors: Abi): bigint {
  if (simulation?.ok) return simulation.gas;
  const revert = decodeRevert(simulation?.data, actionErrors);
  const own = findOwnRefusal(simulation);
  if (own) throw new RefusedError(own.reason, own.message, { field: own.field, facts: { revert } });
  throw new RefusedError('action_reverted', `The transaction would revert. ${tellRevert(revert)}`, {
    facts: { revert },
  });
}

/** The digest of the permit that holds this nonce, under way or mined. */
export async function findOpenDigest(
  database: Database,
  permit: Permit,
  nonce: bigint,
): Promise<Hex | undefined> {
  const [open] = await database
    .select({ digest: transactions.permitDigest })
    .from(transactions)
    .where(holdsNonce({ ...permit, nonce }));
  return open?.digest;
}
