import { and, eq, ne } from 'drizzle-orm';
import type { Abi, Address, Hex, PublicClient } from 'viem';
import { decodeRevert } from '../chain/decodeRevert.ts';
import type { PermitFacts } from '../chain/readPermitFacts.ts';
import type { Simulation } from '../chain/simulateCall.ts';
import type { Database } from '../database/database.ts';
import { transactions } from '../database/tables/transactions.ts';
import { RefusedError } from '../errors/serviceError.ts';
import { matchPermit, type SentPermit } from './matchPermit.ts';

/** A permit with the contract that it is meant for. */
export type Permit = SentPermit & {
  readonly chainId: number;
  readonly contract: Address;
  /** Unix seconds. */
  readonly deadline: bigint;
};

/** A permit that the contract would take now, and a wallet is there to send. */
export type AcceptedPermit = { readonly nonce: bigint; readonly digest: Hex; readonly gas: bigint };

/**
 * Checks a permit against what the chain says of it.
 *
 * @throws RefusedError for the deadline, the nonce, the signature, a revert, or the lack of a wallet, in this order. That another
 * permit holds the nonce is said instead of the last two; where nothing else is wrong, whoever stores the permit finds it out.
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
    if (open !== undefined && open !== digest) throw refuseNonceInFlight(nonce);
    throw error;
  }
}

/**
 * The gas that the call takes, where it can be sent.
 *
 * @throws RefusedError `action_reverted` where it would revert, `relayer_unfunded` where no wallet can send it.
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

export function refuseNonceInFlight(nonce: bigint): RefusedError {
  const message = 'Another permit of this signer with this nonce is on its way.';
  return new RefusedError('nonce_in_flight', message, { facts: { nonce: nonce.toString() } });
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
  throw new RefusedError('action_reverted', `The transaction would revert. ${revert.message}`, {
    facts: { revert },
  });
}

/** The digest of the permit that holds this nonce, be it on its way or mined. */
async function findOpenDigest(
  database: Database,
  { chainId, contract, signer }: Permit,
  nonce: bigint,
): Promise<Hex | undefined> {
  const [open] = await database
    .select({ digest: transactions.permitDigest })
    .from(transactions)
    .where(
      and(
        eq(transactions.chainId, chainId),
        eq(transactions.contract, contract),
        eq(transactions.signer, signer),
        eq(transactions.permitNonce, nonce),
        ne(transactions.state, 'failed'),
      ),
    );
  return open?.digest;
}

export function currentSecond(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
