import { sql } from 'drizzle-orm';
import type { Hex, PublicClient } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { ChainClock } from './fireDueRules.ts';

export type ClockedChain = {
  readonly chainId: number;
  /** Blocks, the including one counted, before anything is announced. */
  readonly confirmations: number;
};

/**
 * Up to when everything is known that a chain says of its agreements: the time of the last folded block that has its
 * confirmations. Where the chain has no block beyond those that are folded, also the time of the clock, less `idleMs`. Undefined
 * where nothing is folded yet.
 *
 * @throws whatever the node of the chain answers with, where it has to be asked.
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
    /** The moment that is waited for: where it is past anyway the node is not asked. */
    wantedMs: number;
  },
): Promise<ChainClock | undefined> {
  const wallMs = Date.now();
  const { rows } = await database.execute<{ number: string; hash: Hex; timestamp: string }>(sql`
    select head_number::text as number, head_hash as hash, extract(epoch from head_timestamp)::bigint::text as timestamp
    from service.projections where chain_id = ${chainId}`);
  const [head] = rows;
  if (!head) return undefined;
  const headNumber = BigInt(head.number);
  const confirmedBlock = headNumber - BigInt(confirmations) + 1n;
  if (confirmedBlock < 0n) return undefined;
  const headMs = Number(head.timestamp) * 1_000;
  const readConfirmedMs = async () =>
    Number((await client.getBlock({ blockNumber: confirmedBlock })).timestamp) * 1_000;
  // No block is later than those that follow it.
  const foldedMs = headMs < wantedMs ? 0 : confirmedBlock === headNumber ? headMs : await readConfirmedMs();
  const idleUntilMs = wallMs - idleMs;
  if (foldedMs >= wantedMs || idleUntilMs < wantedMs) return { nowMs: foldedMs, confirmedBlock };
  const latest = await client.getBlock({ blockTag: 'latest' });
  return { nowMs: latest.hash === head.hash ? idleUntilMs : foldedMs, confirmedBlock };
}
