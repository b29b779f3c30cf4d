import type pg from 'pg';
import type { Address } from 'viem';
import { withTransaction } from '../../platform/database/withTransaction.ts';
import type { Signer, SigningError } from '../../platform/signers/signer.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { continueTrace } from '../../platform/tracing/tracing.ts';
import type { Fees } from './fees.ts';
import { type AcceptedRow, type ClaimableOptions, type FoundRows, readClaimable } from './readClaimable.ts';
import { type SignedTransaction, signTransaction } from './signTransaction.ts';

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

export type ClaimOptions = Omit<ClaimableOptions, 'wallet'> & {
  wallet: { address: Address; signer: Signer };
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
  /** Whether there may be more that this wallet may sign. */
  isCut: boolean;
  /** Whether others are accepted that this wallet may not sign. */
  hasOthers: boolean;
  /** Other wallets that alone may sign some of them. */
  keepers: readonly Address[];
  /** How many rows the signer was asked for. */
  asked: number;
  signed: SignedRow[];
  /** Those without terms, and those that could not be signed with the reason. */
  unprepared: AcceptedRow[];
  /** Those that cost more than the wallet has left. */
  unpayable: AcceptedRow[];
  refused: { row: AcceptedRow; error: unknown }[];
  /** Why the signer did not sign all of it, where that was its own fault. */
  failure: SigningError | undefined;
  /** The counter after it. */
  nextNonce: number;
};

/**
 * Signs accepted transactions with the next nonces of a wallet, by turns over principals and of each the oldest. Nonces, bytes, hashes and the counter are written in
 * one database transaction, in which the wallet's row is locked: so whoever takes over the lease sees all of it or nothing. For
 * signers within this process alone: nothing may take long here.
 */
export function claimRows(pool: pg.Pool, options: ClaimOptions): Promise<Claim> {
  const { wallet, holder } = options;
  return withTransaction(pool, async (client) => {
    const found = await readClaimable(client, options);
    const claim = startClaim(found);
    if (!found.isHeld) return claim;
    faultPoint('afterClaim');

    const { payable, unprepared, unpayable } = findPayable(found.rows, options);
    claim.unprepared.push(...unprepared);
    claim.unpayable.push(...unpayable);
    claim.asked = payable.length;
    const signed = new Set<string>();
    for (const { row, terms } of payable) {
      const nonce = claim.nextNonce;
      if (!row.after.every((id) => signed.has(id))) continue;
      try {
        claim.signed.push(await signRow(wallet.signer, { row, terms, nonce, chainId: holder.chainId }));
        claim.nextNonce++;
        signed.add(row.id);
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

export type PayableRow = { readonly row: AcceptedRow; readonly terms: Terms };

export function startClaim({ isHeld, rows, isCut, hasOthers, keepers, nextNonce }: FoundRows): Claim {
  const nothing = { asked: 0, signed: [], unprepared: [], unpayable: [], refused: [], failure: undefined };
  return { ...nothing, isHeld, found: rows.length, isCut, hasOthers, keepers, nextNonce };
}

/**
 * The rows of which all is known that has to be and that the funds pay, those of which it is not, and those that cost too much: what
 * comes after the last is not held up by them, unless it has to follow them.
 */
export function findPayable(
  rows: readonly AcceptedRow[],
  { findTerms, ...options }: Pick<ClaimOptions, 'findTerms' | 'funds'>,
): { payable: PayableRow[]; unprepared: AcceptedRow[]; unpayable: AcceptedRow[] } {
  const payable: PayableRow[] = [];
  const unprepared: AcceptedRow[] = [];
  const unpayable: AcceptedRow[] = [];
  const taken = new Set<string>();
  let { funds } = options;
  for (const row of rows) {
    const terms = findTerms(row);
    if (!terms) {
      unprepared.push(row);
      continue;
    }
    if (!row.after.every((id) => taken.has(id))) continue;
    const cost = highestCost(terms);
    if (cost > funds) {
      unpayable.push(row);
      continue;
    }
    funds -= cost;
    taken.add(row.id);
    payable.push({ row, terms });
  }
  return { payable, unprepared, unpayable };
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
