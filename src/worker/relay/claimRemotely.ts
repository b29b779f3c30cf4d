import type pg from 'pg';
import { channels } from '../../platform/database/channels.ts';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import type { transactionAttempts, transactions } from '../../platform/database/tables/transactions.ts';
import { withTransaction } from '../../platform/database/withTransaction.ts';
import { SigningError } from '../../platform/signers/signer.ts';
import type { AssignedRow, SigningWallet } from './assignRows.ts';
import {
  assignFound,
  type Claim,
  type ClaimOptions,
  type SignedRow,
  signRow,
  startClaim,
  writeSigned,
} from './claimRows.ts';
import { readClaimable } from './readClaimable.ts';

/** Longer than any signer may take. After that, the reservations of a dead process are free. */
const reservedMs = 30_000;

/**
 * Like `claimRows`, for a slow signer: nothing is locked while it is asked. Rows are reserved first, so that
 * no other wallet takes them. Results are stored only if wallet, counter and rows are unchanged; otherwise
 * they never leave the process. Nonces must not have gaps: if signing a row fails, only the rows before it
 * are kept, and any wallet can claim the others at once.
 */
export async function claimRemotely(pool: pg.Pool, options: RemoteClaimOptions): Promise<Claim> {
  const { wallet } = options;
  const { found, assignment } = await reserve(pool, options);
  const claim = startClaim(found, assignment);
  const { assigned } = assignment;
  const nonce = found.nextNonces.get(wallet.address);
  if (assigned.length === 0 || nonce === undefined) return claim;
  const asked = await askSigner(assigned, { nonce, options });
  claim.failure = asked.failure;
  claim.refused.push(...asked.refused);
  try {
    const stored =
      asked.signed.length > 0 ? await store(pool, asked.signed, { nonce, assigned, options }) : [];
    if (stored) claim.nextNonces.set(wallet.address, nonce + stored.length);
    else claim.nextNonces.delete(wallet.address);
    claim.signed.push(...(stored ?? []));
    return claim;
  } finally {
    const stored = new Set(claim.signed.map(({ id }) => id));
    const ids = assigned.map(({ row }) => row.id).filter((id) => !stored.has(id));
    await release(pool, ids, options.holder.chainId);
  }
}

/** A claim for one wallet only. */
export type RemoteClaimOptions = Omit<ClaimOptions, 'wallets'> & { wallet: SigningWallet };

function reserve(pool: pg.Pool, { wallet, ...options }: RemoteClaimOptions) {
  return withTransaction(pool, async (client) => {
    const found = await readClaimable(client, { ...options, wallets: [wallet] });
    const assignment = assignFound(found, { ...options, wallets: [wallet] });
    const { assigned } = assignment;
    if (assigned.length > 0) {
      await client.query(
        `update service.transactions set reserved_until = now() + $2 * interval '1 millisecond' where id = any($1)`,
        [assigned.map(({ row }) => row.id), reservedMs],
      );
    }
    return { found, assignment };
  });
}

type Asked = Pick<Claim, 'refused' | 'failure'> & { signed: SignedRow[] };

/** Asks for all at once; keeps the results before the first failure. */
async function askSigner(
  assigned: readonly AssignedRow[],
  { nonce, options }: { nonce: number; options: RemoteClaimOptions },
): Promise<Asked> {
  const { wallet, holder } = options;
  const answers = await Promise.allSettled(
    assigned.map((item, at) =>
      signRow(wallet.signer, { ...item, nonce: nonce + at, chainId: holder.chainId }),
    ),
  );
  const asked: Asked = { signed: [], refused: [], failure: undefined };
  let isWhole = true;
  for (const [at, answer] of answers.entries()) {
    const row = assigned[at]?.row;
    if (answer.status === 'fulfilled') {
      if (isWhole) asked.signed.push(answer.value);
      continue;
    }
    isWhole = false;
    if (answer.reason instanceof SigningError) asked.failure ??= answer.reason;
    else if (row) asked.refused.push({ row, error: answer.reason });
  }
  return asked;
}

type StillAccepted = RowOf<typeof transactions, 'id'> &
  OrNull<RowAs<typeof transactionAttempts, { last_attempt_id: 'id' }>>;

/** The stored rows; undefined if another process has the wallet by now, or the counter has changed. */
function store(
  pool: pg.Pool,
  signed: readonly SignedRow[],
  {
    nonce,
    assigned,
    options,
  }: { nonce: number; assigned: readonly AssignedRow[]; options: RemoteClaimOptions },
): Promise<SignedRow[] | undefined> {
  const { wallet, holder } = options;
  const { chainId, owner } = holder;
  const known = new Map(assigned.map(({ row }) => [row.id, row.lastAttemptId]));
  return withTransaction(pool, async (client) => {
    const held = await client.query(
      `select 1 from service.relayer_wallets
       where chain_id = $1 and address = $2 and lease_owner = $3 and lease_until > now() and next_nonce = $4
       for update`,
      [chainId, wallet.address, owner, nonce],
    );
    if (held.rowCount === 0) return undefined;
    const { rows } = await client.query<StillAccepted>(
      `select id, (
         select max(id) from service.transaction_attempts where transaction_id = tx.id) as last_attempt_id
       from service.transactions tx where id = any($1) and state = 'accepted' for update skip locked`,
      [signed.map(({ id }) => id)],
    );
    const unchanged = new Set(
      rows.filter((row) => (row.last_attempt_id ?? undefined) === known.get(row.id)).map(({ id }) => id),
    );
    const firstLost = signed.findIndex(({ id }) => !unchanged.has(id));
    const kept = firstLost === -1 ? [...signed] : signed.slice(0, firstLost);
    const nextNonces = new Map([[wallet.address, nonce + kept.length]]);
    if (kept.length > 0) await writeSigned(client, { signed: kept, nextNonces }, holder);
    return kept;
  });
}

async function release(pool: pg.Pool, ids: readonly string[], chainId: number): Promise<void> {
  if (ids.length === 0) return;
  await pool.query(
    `with released as (
       update service.transactions set reserved_until = null
       where id = any($1) and state = 'accepted' and reserved_until is not null returning id)
     select pg_notify($2, $3) from released limit 1`,
    [ids, channels.outbox, String(chainId)],
  );
}
