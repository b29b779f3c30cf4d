import { and, desc, eq, ne, sql } from 'drizzle-orm';
import type { Abi, Address, Hex, PublicClient } from 'viem';
import { decodeRevert } from '../chain/decodeRevert.ts';
import type { PermitFacts } from '../chain/readPermitFacts.ts';
import type { Simulation } from '../chain/simulateCall.ts';
import type { Database } from '../database/database.ts';
import { relayerWallets } from '../database/tables/relayerWallets.ts';
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
 * @throws RefusedError for the deadline, the nonce, the signature, a revert, or the lack of a wallet, in this order.
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
  const [digest, open] = await Promise.all([
    matchPermit(permit, { nonce, client }),
    findOpenDigest(database, permit, nonce),
  ]);
  if (open !== undefined && open !== digest) throw refuseNonceInFlight(nonce);
  const { chainId } = permit;
  const gas = requireSendable({ simulation: facts.simulation, wallet, chainId, actionErrors });
  return { nonce, digest, gas };
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

/** What a wallet's worker last said of it is believed for so long after it was to say something again. */
const silence = sql`interval '60 seconds'`;

/**
 * The wallet that simulations run as: the active one with the most funds, of which a worker has said so lately. Undefined where the
 * chain has none.
 */
export async function findWallet(database: Database, chainId: number): Promise<Address | undefined> {
  const [wallet] = await database
    .select({ address: relayerWallets.address })
    .from(relayerWallets)
    .where(
      and(
        eq(relayerWallets.chainId, chainId),
        eq(relayerWallets.status, 'active'),
        sql`greatest(${relayerWallets.leaseUntil}, ${relayerWallets.updatedAt}) > now() - ${silence}`,
      ),
    )
    .orderBy(desc(relayerWallets.balance))
    .limit(1);
  return wallet?.address;
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
