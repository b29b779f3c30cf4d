import { expect, test } from 'vitest';
import { findChainDefaults } from '../../../src/platform/config/chainDefaults.ts';
import { chains } from '../../../src/protocol/index.ts';

test('Base is indexed from shortly before the factory was deployed', () => {
  const genesis = { 8453: 1_686_789_347, 84532: 1_695_768_288 };
  for (const [chainId, start] of Object.entries(genesis)) {
    const block = findChainDefaults(Number(chainId))?.startBlock ?? 0;
    expect(new Date((start + block * 2) * 1000).toISOString()).toMatch(/^2026-05-2[45]T/);
  }
});

test('blocks are final when Ponder takes them for final', async () => {
  // No entry point of Ponder exports this function.
  const file = new URL('../../../node_modules/ponder/dist/esm/utils/finality.js', import.meta.url);
  const ponder: { getFinalityBlockCount(of: { chain: { id: number } }): number } = await import(file.href);
  const byPonder = chains.map(({ chainId }) => ponder.getFinalityBlockCount({ chain: { id: chainId } }));
  const ours = chains.map(({ chainId }) => findChainDefaults(chainId)?.finalityBlocks);
  expect(ours).toEqual(byPonder);
});
