import type pg from 'pg';
import type { Address, Hex } from 'viem';
import { withTransaction } from '../database/withTransaction.ts';
import type { Signer, SigningError } from '../signers/signer.ts';
import { faultPoint } from '../supervision/faultPoint.ts';
import { continueTrace } from '../tracing/tracing.ts';
import type { Fees } from './fees.ts';
import { type SignedTransaction, signTransaction } from './signTransaction.ts';
import type { LeaseHolder } from './walletRows.ts';

/** An accepted transaction that waits to be signed. */
export type AcceptedRow = {
  readonly id: string;
  readonly contract: Address;
  readonly callData: Hex;
  readonly gasEstimate: bigint | undefined;
  /** The newest of what was signed for it before it was accepted again; undefined where nothing was. */
  readonly lastAttemptId: number | undefined;
  /** Where its request stood in its trace; null where nobody traced it. */
  readonly traceParent: string | null;
};

/** What a transaction is signed with. */
export type Terms = {
  readonly gas: bigint;
  readonly fees: Fees;
  /** Beside gas, in wei; undefined where it is not known to be charged. */
  readonly dataFee?: bigint;
};
export type SignedRow = SignedTransaction &
  Terms &
  Pick<AcceptedRow, 'id' | 'traceParent'> & { readonly nonce: number };

export type ClaimOptions = {
  wallet: { address: Address; signer: Signer };
  holder: LeaseHolder;
  limit: number;
  /** Unix seconds of the block that the transactions can be in at the earliest: what expires before is left alone. */
  earliest: bigint;
  /** Rows that are left alone for now. */
  excluded: readonly string[];
  /** In wei; what is signed may cost no more in all. */
  funds: bigint;
  /** Undefined where a row cannot be signed yet. */
  findTerms(row: AcceptedRow): Terms | undefined;
};

export type Claim = {
  /** False: the wallet is another's, or rests. Then nothing was done. */
  isHeld: boolean;
  /** How many rows were there to sign, up to the limit. */
  found: number;
  /** How many of them the signer was asked for. */
  asked: number;
  signed: SignedRow[];
  /** Those without terms, and those that could not be signed with the reason. */
  unprepared: AcceptedRow[];
  refused: { row: AcceptedRow; error: unknown }[];
  /** Why the signer did not sign all of it, where that was its own fault. */
  failure: SigningError | undefined;
  /** The counter after it. */
  nextNonce: number;
};

/**
 * Signs the oldest accepted transactions with the next nonces of a wallet. Nonces, bytes, hashes and the counter are written in
 * one database transaction, in which the wallet's row is locked: so whoever takes over the lease sees all of it or nothing. For
 * signers within this process alone: nothing may take long here.
 */
export function claimRows(pool: pg.Pool, options: ClaimOptions): Promise<Claim> {
  const { wallet, holder } = options;
  return withTransaction(pool, async (client) => {
    const found = await readRows(client, options);
    const claim = startClaim(found);
    if (!found.isHeld) return claim;
    faultPoint('afterClaim');

    const { payable, unprepared } = findPayable(found.rows, options);
    claim.unprepared.push(...unprepared);
    claim.asked = payable.length;
    for (const { row, terms } of payable) {
      const nonce = claim.nextNonce;
      try {
        claim.signed.push(await signRow(wallet.signer, { row, terms, nonce, chainId: holder.chainId }));
        claim.nextNonce++;
      } catch (error) {
        claim.refused.push({ row, error });
      }
    }
    if (claim.signed.length > 0) {
      await writeSigned(client, claim, options);
      faultPoint('beforeSignCommit');
    }
    return claim;
  });
}

export type FoundRows = { isHeld: boolean; rows: readonly AcceptedRow[]; nextNonce: number };
export type PayableRow = { readonly row: AcceptedRow; readonly terms: Terms };

export function startClaim({ isHeld, rows, nextNonce }: FoundRows): Claim {
  const nothing = { asked: 0, signed: [], unprepared: [], refused: [], failure: undefined };
  return { ...nothing, isHeld, found: rows.length, nextNonce };
}

/** The rows of which all is known that has to be, as far as the funds go, and those of which it is not. */
export function findPayable(
  rows: readonly AcceptedRow[],
  { findTerms, ...options }: Pick<ClaimOptions, 'findTerms' | 'funds'>,
): { payable: PayableRow[]; unprepared: AcceptedRow[] } {
  const payable: PayableRow[] = [];
  const unprepared: AcceptedRow[] = [];
  let { funds } = options;
  for (const row of rows) {
    const terms = findTerms(row);
    if (!terms) {
      unprepared.push(row);
      continue;
    }
    funds -= highestCost(terms);
    if (funds < 0n) break;
    payable.push({ row, terms });
  }
  return { payable, unprepared };
}

/** What a transaction on these terms may cost, in wei. */
export function highestCost({ gas, fees, dataFee = 0n }: Terms): bigint {
  return gas * fees.maxFeePerGas + dataFee;
}

export async function signRow(
  signer: Signer,
  { row, terms, nonce, chainId }: PayableRow & { nonce: number; chainId: number },
): Promise<SignedRow> {
  const call = { to: row.contract, data: row.callData, gas: terms.gas };
  const { id, traceParent } = row;
  const attributes = { 'agreements.chain.id': chainId, 'agreements.transaction.id': id };
  const signed = await continueTrace({ name: 'sign transaction', traceParent, attributes }, () =>
    signTransaction(signer, { call, chainId, nonce, fees: terms.fees }),
  );
  return { ...signed, ...terms, id, nonce, traceParent };
}

type FoundRow = {
  next_nonce: string;
  id: string | null;
  contract: Address;
  call_data: Hex;
  gas_estimate: string | null;
  last_attempt_id: number | null;
  trace_parent: string | null;
};

/** Locks the wallet's row, and the oldest accepted ones that nobody else is at. */
export async function readRows(
  client: pg.PoolClient,
  options: Omit<ClaimOptions, 'findTerms' | 'funds'>,
): Promise<FoundRows> {
  const { wallet, holder, limit, earliest, excluded } = options;
  const { rows } = await client.query<FoundRow>({
    name: 'relay claim',
    text: `
      with held as (
        select next_nonce from service.relayer_wallets
        where chain_id = $1 and address = $2 and lease_owner = $3 and lease_until > now() and status = 'active'
        for update)
      select held.next_nonce, it.*, (
        select max(id) from service.transaction_attempts where transaction_id = it.id) as last_attempt_id
      from held left join lateral (
        select id, contract, call_data, gas_estimate, trace_parent
        from service.transactions
        where chain_id = $1 and state = 'accepted' and deadline >= $4::numeric and id <> all($5)
          and (reserved_until is null or reserved_until < now())
        order by created_at, id limit $6
        for update skip locked) it on true`,
    values: [holder.chainId, wallet.address, holder.owner, String(earliest), excluded, limit],
  });
  const accepted = rows.flatMap((row): AcceptedRow[] => {
    if (row.id === null) return [];
    const gasEstimate = row.gas_estimate === null ? undefined : BigInt(row.gas_estimate);
    const lastAttemptId = row.last_attempt_id ?? undefined;
    const { id, contract, call_data: callData, trace_parent: traceParent } = row;
    return [{ id, contract, callData, gasEstimate, lastAttemptId, traceParent }];
  });
  return { isHeld: rows.length > 0, rows: accepted, nextNonce: Number(rows[0]?.next_nonce ?? 0) };
}

/** Writes nonces, bytes and hashes of rows that are locked, as is the wallet's, and the counter after them, in one statement. */
export async function writeSigned(
  client: pg.PoolClient,
  { signed, nextNonce }: Pick<Claim, 'signed' | 'nextNonce'>,
  { wallet, holder }: Pick<ClaimOptions, 'wallet' | 'holder'>,
): Promise<void> {
  await client.query({
    name: 'relay sign',
    text: `
      with signed as (
        select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[])
          as it(id, nonce, hash, raw, gas, max_fee, tip)),
      rows as (
        update service.transactions it
        set state = 'signed', wallet = $9, wallet_nonce = signed.nonce, tx_hash = signed.hash,
          reserved_until = null, updated_at = now()
        from signed where it.id = signed.id),
      attempts as (
        insert into service.transaction_attempts (transaction_id, chain_id, wallet, wallet_nonce, tx_hash, raw_transaction,
          gas, max_fee_per_gas, max_priority_fee_per_gas)
        select id, $8::int, $9, nonce, hash, raw, gas, max_fee, tip from signed order by nonce
        on conflict (chain_id, tx_hash) do update set transaction_id = excluded.transaction_id, created_at = now())
      update service.relayer_wallets set next_nonce = $10, updated_at = now() where chain_id = $8::int and address = $9`,
    values: [
      signed.map(({ id }) => id),
      signed.map(({ nonce }) => nonce),
      signed.map(({ hash }) => hash),
      signed.map(({ raw }) => raw),
      signed.map(({ gas }) => String(gas)),
      signed.map(({ fees }) => String(fees.maxFeePerGas)),
      signed.map(({ fees }) => String(fees.maxPriorityFeePerGas)),
      holder.chainId,
      wallet.address,
      nextNonce,
    ],
  });
}
