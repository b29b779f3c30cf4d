import { expect } from 'vitest';
import { waitForHead } from '../../support/indexer.ts';
import { readExpectedRows } from './chainHistory.ts';
import { readIndexRows } from './indexRows.ts';
import type { TestChain } from './testChain.ts';

/**
 * Waits until the index has passed the latest block. Then the index must hold exactly what the chain now
 * says.
 */
export async function expectIndexEqualsChain(databaseUrl: string, chain: TestChain): Promise<void> {
  await waitForHead(databaseUrl, chain.chainId, await chain.latestHash());
  const { definitions: _, ...rows } = await readIndexRows(databaseUrl, chain.chainId);
  const agreements = rows.agreements.map(({ doc_uri_bytes: _, content_hash: __, ...row }) => row);
  const inputs = rows.inputs.map(({ fields: _, ...row }) => row);
  expect({ ...rows, agreements, inputs }).toEqual(await readExpectedRows(chain));
}
