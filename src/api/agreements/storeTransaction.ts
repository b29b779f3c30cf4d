import { and, eq, isNotNull, notInArray, type SQL, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { channels } from '../../platform/database/channels.ts';
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { inputs } from '../../platform/database/tables/inputs.ts';
import { records } from '../../platform/database/tables/records.ts';
import { type Admission, transactions } from '../../platform/database/tables/transactions.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { currentTraceParent, traceStep } from '../../platform/tracing/tracing.ts';
import { acceptedAt } from './acceptedAt.ts';

export type NewTransaction = {
  readonly principalId: string;
  readonly chainId: number;
  readonly kind: 'deploy' | 'input';
  readonly contract: Address;
  readonly signer: Address;
  readonly permitNonce: bigint;
  readonly permitDigest: Hex;
  readonly contentHash: Hex;
  readonly deadline: bigint;
  readonly callData: Hex;
  /** Null: estimate when sending. */
  readonly gasEstimate: bigint | null;
  /** The key of inputs with similar gas; null if unknown. */
  readonly gasKind?: string | null;
  readonly admission?: Admission;
  /** The submitting request; undefined for none. */
  readonly requestId: string | undefined;
};

export type StoredTransaction = { readonly id: string; readonly isReopened: boolean };

/**
 * Puts a permit's transaction into the outbox, or returns the existing one of the same permit, reopening it
 * if it had failed. Other rows stored in the same database transaction may refer to it. An existing one stays locked until
 * the end of that transaction.
 *
 * @throws RefusedError `stale_nonce` if the chain has taken the permit meanwhile.
 * @throws pg.DatabaseError for the constraint `transactions_open_permit`, if another open permit holds the nonce.
 */
export function storeTransaction(
  database: DatabaseTransaction,
  transaction: NewTransaction,
): Promise<StoredTransaction> {
  const attributes = { 'agreements.chain.id': transaction.chainId };
  return traceStep({ name: 'store transaction', attributes }, () => store(database, transaction));
}

async function store(database: DatabaseTransaction, transaction: NewTransaction): Promise<StoredTransaction> {
  const { chainId, permitDigest, signer, permitNonce } = transaction;
  const [stored] = await database
    .insert(transactions)
    .values({
      id: createId('txn'),
      ...transaction,
      traceParent: currentTraceParent(),
      createdAt: acceptedAfter(transaction.admission),
    })
    .onConflictDoNothing({ target: [transactions.chainId, transactions.permitDigest, transactions.signer] })
    .returning({ id: transactions.id });
  if (stored) {
    await announce(database, chainId);
    return { id: stored.id, isReopened: false };
  }
  // Updates even if nothing changes: a process that settles this transaction at the same time must look
  // again.
  const [open] = await database
    .update(transactions)
    .set({ updatedAt: sql`now()` })
    .where(
      and(
        eq(transactions.chainId, chainId),
        eq(transactions.permitDigest, permitDigest),
        eq(transactions.signer, signer),
        notInArray(transactions.state, ['mined', 'final']),
      ),
    )
    .returning({ id: transactions.id, state: transactions.state });
  if (!open) {
    const message = 'The permit is signed for a nonce that was already used.';
    throw new RefusedError('stale_nonce', message, { facts: { signedNonce: permitNonce.toString() } });
  }
  const isReopened =
    open.state === 'failed' && (await reopenTransaction(database, { id: open.id, ...transaction }));
  return { id: open.id, isReopened };
}

/**
 * Has a failed transaction sent again, after all that was accepted meanwhile. What its principal has waiting for it
 * waits again; what others have changes only with the chain. Returns whether anything waits again: of two requests at
 * once, the second one changes nothing.
 */
export async function reopenTransaction(
  database: Queryable,
  {
    id,
    chainId,
    principalId,
    gasEstimate = null,
    gasKind = null,
    admission = null,
  }: { id: string } & Pick<NewTransaction, 'chainId' | 'principalId'> &
    Partial<Nullable<Pick<NewTransaction, 'gasEstimate' | 'gasKind' | 'admission'>>>,
): Promise<boolean> {
  const now = sql`now()`;
  const reopened = await database
    .update(transactions)
    .set({
      principalId,
      state: 'accepted',
      failure: null,
      wallet: null,
      walletNonce: null,
      txHash: null,
      minedBlockNumber: null,
      reservedUntil: null,
      gasEstimate: sql`coalesce(${gasEstimate}::bigint, ${transactions.gasEstimate})`,
      gasKind: sql`coalesce(${gasKind}::text, ${transactions.gasKind})`,
      admission: sql`coalesce(${admission === null ? null : JSON.stringify(admission)}::json, ${transactions.admission})`,
      createdAt: acceptedAfter(admission),
      updatedAt: now,
    })
    .where(and(eq(transactions.id, id), eq(transactions.state, 'failed')))
    .returning({ id: transactions.id });
  const drafts = await database
    .update(records)
    .set({ error: null, updatedAt: now })
    .where(
      and(
        eq(records.deployTransactionId, id),
        eq(records.status, 'Draft'),
        eq(records.principalId, principalId),
        isNotNull(records.error),
      ),
    )
    .returning({ id: records.id });
  const submissions = await database
    .update(inputs)
    .set({ status: 'PENDING', error: null, txHash: null, updatedAt: now })
    .where(and(eq(inputs.transactionId, id), eq(inputs.status, 'FAILED'), eq(inputs.userId, principalId)))
    .returning({ id: inputs.id });
  await announce(database, chainId);
  return [...reopened, ...drafts, ...submissions].length > 0;
}

function acceptedAfter(admission: Admission | null | undefined): SQL {
  const last = admission?.after?.at(-1) ?? null;
  return sql`(select ${sql.raw(acceptedAt('known.id'))} from (select ${last}::text as id) as known)`;
}

type Nullable<Type> = { [Key in keyof Type]: Type[Key] | null };

async function announce(database: Queryable, chainId: number): Promise<void> {
  await database.execute(sql`select pg_notify(${channels.outbox}, ${String(chainId)})`);
}
