import { sql } from 'drizzle-orm';
import type { PublicClient } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { RowAs } from '../../platform/database/rowOf.ts';
import type { projections } from '../../platform/database/tables/projections.ts';
import type { ChainClock } from './fireDueRules.ts';

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
};

/**
 * The time up to which a chain's data are complete: the time of the last folded block that has its
 * confirmations. If the chain has no block beyond the folded ones, also the clock minus `idleMs`. Undefined
 * if nothing is folded yet.
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
      extract(epoch from head_timestamp)::bigint::text as timestamp
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
  const idleUntilMs = wallMs - idleMs;
  if (!isHead || foldedMs >= wantedMs || idleUntilMs < wantedMs) return { nowMs: foldedMs, confirmedBlock };
  const latest = await client.getBlock({ blockTag: 'latest' });
  return { nowMs: latest.hash === head.hash ? idleUntilMs : foldedMs, confirmedBlock };
}
