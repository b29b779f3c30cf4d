import { sql } from 'drizzle-orm';
import type { PublicClient } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import type { projections } from '../../platform/database/tables/projections.ts';
import type { ChainClock } from './dueSchedules.ts';

export type ClockedChain = {
  readonly chainId: number;
  /** Blocks before anything is announced, counting the event's own. */
  readonly confirmations: number;
};

type HeadRow = RowAs<
  typeof projections,
  { number: 'head_number'; shown: 'head_number'; hash: 'head_hash' }
> & {
  timestamp: string;
  now: string;
};

/** The blocks before its head from which a chain's pace is measured. */
const measuredBlocks = 1_000n;

/**
 * The time up to which a chain's data are complete: the time of the last folded block that has its
 * confirmations. If the chain has no block beyond the folded ones, also the clock minus `idleMs`, unless its blocks
 * usually come faster: then the node is late, or the next block may be dated earlier. Undefined if nothing is folded
 * yet.
 *
 * @throws the node's error, if a node has to be asked.
 */
export async function readChainClock(
  database: Queryable,
  {
    chain: { chainId, confirmations },
    client,
    idleMs,
    wantedMs,
  }: {
    chain: ClockedChain;
    client: PublicClient;
    idleMs: number;
    /** The awaited moment: if it is past anyway, the node is not asked. */
    wantedMs: number;
  },
): Promise<ChainClock | undefined> {
  const wallMs = Date.now();
  const { rows } = await database.execute<HeadRow>(sql`
    select head_number::text as number, least(head_number, compared_through)::text as shown, head_hash as hash,
      extract(epoch from head_timestamp)::bigint::text as timestamp,
      floor(extract(epoch from now()) * 1000)::bigint::text as now
    from service.projections where chain_id = ${chainId}`);
  const [head] = rows;
  if (!head) return undefined;
  // The folded head never goes back. A reorg may have left the chain shorter for now.
  const headNumber = BigInt(head.shown);
  const isHead = head.shown === head.number;
  const confirmedBlock = headNumber - BigInt(confirmations) + 1n;
  if (confirmedBlock < 0n) return undefined;
  const headMs = Number(head.timestamp) * 1_000;
  const readConfirmedMs = async () =>
    Number((await client.getBlock({ blockNumber: confirmedBlock })).timestamp) * 1_000;
  // No block is later than its successors.
  const isConfirmed = isHead && confirmedBlock === headNumber;
  const foldedMs = headMs < wantedMs ? 0 : isConfirmed ? headMs : await readConfirmedMs();
  // A clock that is ahead would fire rules early.
  const idleUntilMs = Math.min(wallMs, Number(head.now)) - idleMs;
  if (!isHead || foldedMs >= wantedMs || idleUntilMs < wantedMs) return { nowMs: foldedMs, confirmedBlock };
  const latest = await client.getBlock({ blockTag: 'latest' });
  const isIdle = latest.hash === head.hash && !(await isFaster(client, { headNumber, headMs, idleMs }));
  return { nowMs: isIdle ? idleUntilMs : foldedMs, confirmedBlock };
}

/** Whether the last blocks came faster than `idleMs`, on average. A new chain is not faster. */
async function isFaster(
  client: PublicClient,
  { headNumber, headMs, idleMs }: { headNumber: bigint; headMs: number; idleMs: number },
): Promise<boolean> {
  if (headNumber < measuredBlocks) return false;
  const first = await client.getBlock({ blockNumber: headNumber - measuredBlocks });
  return headMs - Number(first.timestamp) * 1_000 < Number(measuredBlocks) * idleMs;
}
