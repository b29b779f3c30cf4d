import type pg from 'pg';
import { indexerSchemaName, indexViewNames, indexViewsSchemaName } from '../database/indexNames.ts';
import type { indexedHeads } from '../database/indexView.ts';
import type { RowOf } from '../database/rowOf.ts';
import type { relayerWallets } from '../database/tables/relayerWallets.ts';
import { stateLists, type TransactionState, type transactions } from '../database/tables/transactions.ts';

/** A position on a chain; `timestamp` in Unix seconds. */
export type Position = { readonly blockNumber: number; readonly timestamp: number };

export type OutboxCount = {
  readonly state: TransactionState;
  readonly count: number;
  /** How long ago the oldest of them was accepted. */
  readonly oldestAgeSeconds: number;
};

/**
 * A wallet with its balance in wei, in decimal. It is `retired` if no worker has its key: it gets no new
 * transactions, and its signed ones are followed to their end.
 */
export type WalletFacts = Readonly<RowOf<typeof relayerWallets, 'address' | 'status' | 'balance'>> & {
  readonly nextNonce: number;
  /** Its signed transactions that are not mined. */
  readonly underWay: number;
};

export type ChainFacts = {
  readonly chainId: number;
  /** How far the index shows the chain; null until live indexing has seen a block. */
  readonly index: Position | null;
  /** How far the chain is folded into records; null before the first fold. */
  readonly folded: Position | null;
  /** Since when its index is being rebuilt, because a reorg reached below this final block; null if it is not. */
  readonly rebuilding: { readonly blockNumber: number; readonly since: string } | null;
  /**
   * Since when the indexer has gone on without the nodes of this chain, because none answers; null if one
   * does.
   */
  readonly silentSince: string | null;
  /** Transactions that are not final, by state; states without any are left out. */
  readonly outbox: readonly OutboxCount[];
  readonly wallets: readonly WalletFacts[];
};

/** Whether an indexer has put its tables behind the views that the service reads. */
export async function isIndexThere(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ is_there: boolean }>(
    `select bool_and(to_regclass($1 || '.' || name) is not null) as is_there from unnest($2::text[]) as view(name)`,
    [indexViewsSchemaName, indexViewNames],
  );
  return rows[0]?.is_there === true;
}

type PositionRow = RowOf<typeof indexedHeads, 'chain_id' | 'number' | 'timestamp'>;

/**
 * Reads the operators' data for these chains. Cheap enough for every second: it reads nothing that grows for
 * ever.
 */
export async function readFacts(
  pool: pg.Pool,
  { chainIds, isIndexed }: { chainIds: readonly number[]; isIndexed: boolean },
): Promise<ChainFacts[]> {
  const [heads, projections, rebuilds, silences, outbox, wallets] = await Promise.all([
    isIndexed
      ? pool.query<PositionRow>(`select chain_id, number, timestamp from ${indexViewsSchemaName}.heads`)
      : { rows: [] },
    pool.query<PositionRow>(`
      select chain_id, head_number as number, extract(epoch from head_timestamp)::bigint as timestamp
      from service.projections`),
    readRebuilds(pool),
    readSilences(pool),
    pool.query<OutboxCount & RowOf<typeof transactions, 'chain_id'>>(`
      select chain_id, state, count(*)::int as count,
        extract(epoch from now() - min(created_at))::float8 as "oldestAgeSeconds"
      from service.transactions where state in (${stateLists.open}) group by chain_id, state
      union all
      select chain_id, state, count(*)::int, extract(epoch from now() - min(created_at))::float8
      from service.transactions where state = 'mined' group by chain_id, state`),
    pool.query<WalletFacts & RowOf<typeof relayerWallets, 'chain_id'>>(`
      select chain_id, address, status, balance::text as balance, next_nonce::float8 as "nextNonce", (
        select count(*)::int from service.transactions sent
        where sent.chain_id = wallet.chain_id and sent.wallet = wallet.address and sent.state in (${stateLists.sent})
      ) as "underWay"
      from service.relayer_wallets wallet order by address`),
  ]);
  return chainIds.map((chainId) => ({
    chainId,
    index: findPosition(heads.rows, chainId),
    folded: findPosition(projections.rows, chainId),
    rebuilding: rebuilds.get(chainId) ?? null,
    silentSince: silences.get(chainId) ?? null,
    outbox: ofChain(outbox.rows, chainId),
    wallets: ofChain(wallets.rows, chainId),
  }));
}

/** Chains whose index was given up, as written by indexers; empty before the first indexer has run. */
async function readRebuilds(pool: pg.Pool): Promise<Map<number, { blockNumber: number; since: string }>> {
  const table = `${indexerSchemaName}.rebuilds`;
  if (!(await isThere(pool, table))) return new Map();
  const { rows } = await pool.query<{ chain_id: number; block_number: string; since: Date }>(
    `select chain_id, block_number, since from ${table} where done_at is null`,
  );
  return new Map(
    rows.map(({ chain_id, block_number, since }) => [
      chain_id,
      { blockNumber: Number(block_number), since: since.toISOString() },
    ]),
  );
}

/** Since when chains have been without a node that answers the indexer, by chain id, as written by the working indexer. */
export async function readSilences(pool: pg.Pool): Promise<Map<number, string>> {
  const table = `${indexerSchemaName}.silent_chains`;
  if (!(await isThere(pool, table))) return new Map();
  const { rows } = await pool.query<{ chain_id: number; since: Date }>(
    `select chain_id, since from ${table}`,
  );
  return new Map(rows.map(({ chain_id, since }) => [chain_id, since.toISOString()]));
}

async function isThere(pool: pg.Pool, table: string): Promise<boolean> {
  const query = 'select to_regclass($1) is not null as is_there';
  const { rows } = await pool.query<{ is_there: boolean }>(query, [table]);
  return rows[0]?.is_there === true;
}

function findPosition(rows: readonly PositionRow[], chainId: number): Position | null {
  const row = rows.find((candidate) => candidate.chain_id === chainId);
  return row ? { blockNumber: Number(row.number), timestamp: Number(row.timestamp) } : null;
}

function ofChain<Facts>(rows: readonly (Facts & { chain_id: number })[], chainId: number): Facts[] {
  return rows.filter((row) => row.chain_id === chainId);
}
