import type { Abi, Address, Hex, PublicClient } from 'viem';
import { decodeRevert } from '../chain/decodeRevert.ts';
import { findOwnError, findOwnRefusal } from '../chain/ownRefusal.ts';
import type { PermitFacts } from '../chain/readPermitFacts.ts';
import type { Simulation } from '../chain/simulateCall.ts';
import type { Database } from '../database/database.ts';
import { transactions } from '../database/tables/transactions.ts';
import { RefusedError } from '../errors/serviceError.ts';
import { holdsNonce } from './holdsNonce.ts';
import { matchPermit, type SentPermit } from './matchPermit.ts';
import { refuseHeldNonce } from './refuseHeldNonce.ts';

/** A permit with the contract that it is meant for. */
export type Permit = SentPermit & {
  readonly chainId: number;
  readonly contract: Address;
  /** Unix seconds. */
  readonly deadline: bigint;
};

/** A permit that the contract would take now, and a wallet is there to send; or one that is on its way already. */
export type AcceptedPermit = {
  readonly nonce: bigint;
  readonly digest: Hex;
  /** Null where the permit is on its way. */
  readonly gas: bigint | null;
};

/**
 * Checks a permit against what the chain says of it.
 *
 * @throws RefusedError for the deadline, the nonce, the signature, a revert, or the lack of a wallet, in this order. That another
 * permit holds the nonce is said instead of the last two; where nothing else is wrong, whoever stores the permit finds it out.
 * A revert is called by what the contract says of the permit or the input, and else `action_reverted`.
 */
export async function acceptPermit(
  permit: Permit,
  context: {
    readonly facts: PermitFacts;
    readonly client: PublicClient;
    readonly database: Database;
    readonly wallet: Address | undefined;
    readonly actionErrors: Abi;
  },
): Promise<AcceptedPermit> {
  const { facts, client, database, wallet, actionErrors } = context;
  const { nonce } = facts;
  requireTime(permit.deadline, facts);
  const digest = await matchPermit(permit, { nonce, client });
  const { chainId } = permit;
  try {
    const gas = requireSendable({ simulation: facts.simulation, wallet, chainId, actionErrors });
    return { nonce, digest, gas };
  } catch (error) {
    // What can be sent need not be looked up: where another permit holds the nonce it cannot be stored.
    const open = await findOpenDigest(database, permit, nonce);
    if (open !== undefined && open !== digest) throw await refuseHeldNonce(permit, { nonce, client });
    // The signature is good for the nonce of the latest block: a transaction that is not mined yet uses that up.
    if (findOwnError(facts.simulation) !== 'InvalidSignature') throw error;
    if (open === undefined) throw await refuseHeldNonce(permit, { nonce, client });
    return { nonce, digest, gas: null };
  }
}

/**
 * The gas that the call takes, where it can be sent.
 *
 * @throws RefusedError where it would revert, for what the contract has against it or `action_reverted`; `relayer_unfunded`
 * where no wallet can send it.
 */
export function requireSendable(call: {
  readonly simulation: Simulation | undefined;
  readonly wallet: Address | undefined;
  readonly chainId: number;
  readonly actionErrors: Abi;
}): bigint {
  const gas = requireSuccess(call.simulation, call.actionErrors);
  if (call.wallet) return gas;
  throw new RefusedError('relayer_unfunded', 'No funded wallet can send transactions on this chain now.', {
    facts: { chainId: call.chainId },
  });
}

/** Whether blocks from now on are later than the permit allows, by the chain's clock or by the wall's. */
export function isExpired(
  deadline: bigint,
  { blockTimestamp }: Pick<PermitFacts, 'blockTimestamp'>,
): boolean {
  return deadline < blockTimestamp || deadline < currentSecond();
}

/** @throws RefusedError `permit_expired` for a deadline that has passed. */
export function requireTime(deadline: bigint, facts: PermitFacts): void {
  if (!isExpired(deadline, facts)) return;
  throw new RefusedError('permit_expired', 'The deadline of the permit has passed.', {
    field: 'deadline',
    facts: {
      deadline: Number(deadline),
      chainTime: Number(facts.blockTimestamp),
      serviceTime: Number(currentSecond()),
    },
  });
}

function requireSuccess(simulation: Simulation | undefined, actionErrors: Abi): bigint {
  if (simulation?.ok) return simulation.gas;
  const revert = decodeRevert(simulation?.data, actionErrors);
  const own = findOwnRefusal(simulation);
  if (own) throw new RefusedError(own.reason, own.message, { field: own.field, facts: { revert } });
  throw new RefusedError('action_reverted', `The transaction would revert. ${revert.message}`, {
    facts: { revert },
  });
}

/** The digest of the permit that holds this nonce, be it on its way or mined. */
async function findOpenDigest(database: Database, permit: Permit, nonce: bigint): Promise<Hex | undefined> {
  const [open] = await database
    .select({ digest: transactions.permitDigest })
    .from(transactions)
    .where(holdsNonce({ ...permit, nonce }));
  return open?.digest;
}

export function currentSecond(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
