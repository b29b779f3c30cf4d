import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { Address } from 'viem';
import { withTransaction } from '../../platform/database/withTransaction.ts';
import type { Signer, SigningError } from '../../platform/signers/signer.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { continueTrace } from '../../platform/tracing/tracing.ts';
import {
  type AssignedRow,
  type Assignment,
  assignRows,
  type SigningWallet,
  type Terms,
} from './assignRows.ts';
import { type AcceptedRow, type ClaimableOptions, type FoundRows, readClaimable } from './readClaimable.ts';
import { type SignedTransaction, signTransaction } from './signTransaction.ts';
import type { LeaseHolder } from './walletRows.ts';

/** Signing takes about a third of a millisecond per row. Then other work of the process gets a turn. */
const signedInTurn = 16;

export type SignedRow = SignedTransaction &
  Terms &
  Pick<AcceptedRow, 'id' | 'traceParent' | 'principalId'> & {
    readonly wallet: Address;
    readonly nonce: number;
  };

export type ClaimOptions = Omit<ClaimableOptions, 'wallets'> & {
  wallets: readonly SigningWallet[];
  /** Undefined if a row cannot be signed yet. */
  findTerms(row: AcceptedRow): Terms | undefined;
};

export type Claim = {
  /**
   * The wallets' counters after the claim. A wallet that is missing is leased by another process, or rests,
   * and has done nothing.
   */
  nextNonces: Map<Address, number>;
  /** Number of rows found to sign, up to the limit. */
  found: number;
  /** Whether there may be more rows for these wallets, and whether some rows are only for other wallets. */
  isCut: boolean;
  waitsForOthers: boolean;
  /** Number of rows that the signers were asked for. */
  asked: number;
  signed: SignedRow[];
  /** Rows that could not be signed, with the reason. */
  refused: { row: AcceptedRow; error: unknown }[];
  /** Why a signer did not sign everything, if that was its own fault. */
  failure: SigningError | undefined;
} & Pick<Assignment, 'unprepared' | 'unpayable'>;

/**
 * Signs accepted transactions with the wallets' next nonces, in turns over principals, oldest first. Nonces,
 * bytes, hashes and counters are stored in one database transaction that locks the wallets' rows: the next
 * leaseholder sees all of it or nothing. Only for in-process signers, because nothing may take long here.
 */
export function claimRows(pool: pg.Pool, options: ClaimOptions): Promise<Claim> {
  const { holder } = options;
  const signers = new Map(options.wallets.map(({ address, signer }) => [address, signer]));
  return withTransaction(pool, async (client) => {
    const found = await readClaimable(client, options);
    const assignment = assignFound(found, options);
    const claim = startClaim(found, assignment);
    if (found.nextNonces.size === 0) return claim;
    faultPoint('afterClaim');

    const signed = new Set<string>();
    for (const assigned of assignment.assigned) {
      const { row, wallet } = assigned;
      const signer = signers.get(wallet);
      const nonce = claim.nextNonces.get(wallet);
      if (!signer || nonce === undefined || !row.after.every((id) => signed.has(id))) continue;
      try {
        claim.signed.push(await signRow(signer, { ...assigned, nonce, chainId: holder.chainId }));
        claim.nextNonces.set(wallet, nonce + 1);
        signed.add(row.id);
        if (signed.size % signedInTurn === 0) await nextTurn();
      } catch (error) {
        claim.refused.push({ row, error });
      }
    }
    if (claim.signed.length > 0) {
      await writeSigned(client, claim, holder);
      faultPoint('beforeSignCommit');
    }
    return claim;
  });
}

/** Among the wallets found able to send. */
export function assignFound(
  { rows, nextNonces }: FoundRows,
  { wallets, findTerms }: Pick<ClaimOptions, 'wallets' | 'findTerms'>,
): Assignment {
  return assignRows(rows, { wallets: wallets.filter(({ address }) => nextNonces.has(address)), findTerms });
}

export function startClaim(
  { rows, isCut, waitsForOthers, nextNonces }: FoundRows,
  { assigned, unprepared, unpayable }: Assignment,
): Claim {
  return {
    nextNonces: new Map(nextNonces),
    found: rows.length,
    isCut,
    waitsForOthers,
    asked: assigned.length,
    signed: [],
    refused: [],
    failure: undefined,
    unprepared,
    unpayable,
  };
}

export async function signRow(
  signer: Signer,
  { row, terms, wallet, nonce, chainId }: AssignedRow & { nonce: number; chainId: number },
): Promise<SignedRow> {
  const call = { to: row.contract, data: row.callData, gas: terms.gas };
  const { id, traceParent, principalId } = row;
  const attributes = { 'agreements.chain.id': chainId, 'agreements.transaction.id': id };
  const signed = await continueTrace({ name: 'sign transaction', traceParent, attributes }, () =>
    signTransaction(signer, { call, chainId, nonce, fees: terms.fees }),
  );
  return { ...signed, ...terms, id, wallet, nonce, traceParent, principalId };
}

/** Stores nonces, bytes and hashes of locked rows, and their wallets' new counters, in one statement. */
export async function writeSigned(
  client: pg.PoolClient,
  { signed, nextNonces }: Pick<Claim, 'signed' | 'nextNonces'>,
  { chainId }: LeaseHolder,
): Promise<void> {
  const counters = [...nextNonces].filter(([address]) => signed.some(({ wallet }) => wallet === address));
  await client.query({
    name: 'relay sign',
    text: `
      with signed as (
        select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::numeric[], $7::numeric[], $8::numeric[], $12::bigint[])
          as attempt(id, wallet, nonce, hash, raw, gas, max_fee, tip, more_gas)),
      rows as (
        update service.transactions tx
        set state = 'signed', wallet = signed.wallet, wallet_nonce = signed.nonce, tx_hash = signed.hash,
          gas_estimate = coalesce(tx.gas_estimate, 0) + signed.more_gas, reserved_until = null, updated_at = now()
        from signed where tx.id = signed.id),
      attempts as (
        insert into service.transaction_attempts (transaction_id, chain_id, wallet, wallet_nonce, tx_hash, raw_transaction,
          gas, max_fee_per_gas, max_priority_fee_per_gas)
        select id, $9::int, wallet, nonce, hash, raw, gas, max_fee, tip from signed order by wallet, nonce
        on conflict (chain_id, tx_hash) do update set transaction_id = excluded.transaction_id, created_at = now())
      update service.relayer_wallets wallet set next_nonce = counter.next_nonce, updated_at = now()
      from unnest($10::text[], $11::bigint[]) as counter(address, next_nonce)
      where wallet.chain_id = $9::int and wallet.address = counter.address`,
    values: [
      signed.map(({ id }) => id),
      signed.map(({ wallet }) => wallet),
      signed.map(({ nonce }) => nonce),
      signed.map(({ hash }) => hash),
      signed.map(({ raw }) => raw),
      signed.map(({ gas }) => String(gas)),
      signed.map(({ fees }) => String(fees.maxFeePerGas)),
      signed.map(({ fees }) => String(fees.maxPriorityFeePerGas)),
      chainId,
      counters.map(([address]) => address),
      counters.map(([, nonce]) => nonce),
      signed.map(({ moreGas = 0n }) => String(moreGas)),
    ],
  });
}
