import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { indexedHeads } from '../../platform/database/indexView.ts';
import { projections } from '../../platform/database/tables/projections.ts';
import { relayerWallets } from '../../platform/database/tables/relayerWallets.ts';

const healthShape = z.object({ status: z.string() });

export async function isApiHealthy(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/v0/health`);
    healthShape.parse(await response.json());
    return response.ok;
  } catch {
    return false;
  }
}

/** Whether the indexer has caught up with the past and follows new blocks. */
export async function isIndexerLive(indexerUrl: string): Promise<boolean> {
  return fetch(`${indexerUrl}/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The last block of each chain that live indexing has passed; empty before there is an index. */
export async function findIndexedBlocks(database: Database): Promise<Map<number, bigint>> {
  const rows = await whenPresent(
    database.select({ chainId: indexedHeads.chainId, number: indexedHeads.number }).from(indexedHeads),
  );
  return new Map(rows.map(({ chainId, number }) => [chainId, number]));
}

/** The last block of each chain that is folded into the records. */
export async function findProjectedBlocks(database: Database): Promise<Map<number, bigint>> {
  const rows = await database
    .select({ chainId: projections.chainId, number: projections.headNumber })
    .from(projections);
  return new Map(rows.map(({ chainId, number }) => [chainId, number]));
}

/** Whether a position has been reached on every chain. */
export function hasReached(
  blocks: ReadonlyMap<number, bigint>,
  position: ReadonlyMap<number, bigint>,
): boolean {
  return [...position].every(([chainId, number]) => (blocks.get(chainId) ?? -1n) >= number);
}

/** Whether the relay has a funded wallet on every chain, leased by a running worker. */
export async function areWalletsReady(database: Database, chainIds: readonly number[]): Promise<boolean> {
  const rows = await database
    .selectDistinct({ chainId: relayerWallets.chainId })
    .from(relayerWallets)
    .where(sql`${relayerWallets.status} = 'active' and ${relayerWallets.leaseUntil} > now()`);
  return chainIds.every((id) => rows.some(({ chainId }) => chainId === id));
}

/** PostgreSQL's code for a missing table: before its first deployment there is no index. */
const undefinedTable = '42P01';

async function whenPresent<Row>(query: Promise<Row[]>): Promise<Row[]> {
  try {
    return await query;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === undefinedTable) return [];
    throw error;
  }
}
