import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { chains, findChain, supportedChains } from '../../../src/protocol/index.ts';

test('each environment has its own chains', () => {
  expect(supportedChains('testnet').map(({ chainId }) => chainId)).toEqual([59141, 11155111, 84532]);
  expect(supportedChains('production').map(({ chainId }) => chainId)).toEqual([59144, 8453]);
});

test('addresses are checksummed', () => {
  for (const { factory, implementation } of chains) {
    expect([factory, implementation]).toEqual([getAddress(factory), getAddress(implementation)]);
  }
});

test('Base is indexed from shortly before the factory was deployed', () => {
  const genesis = { 8453: 1_686_789_347, 84532: 1_695_768_288 };
  for (const [chainId, start] of Object.entries(genesis)) {
    const block = findChain(Number(chainId))?.startBlock ?? 0;
    expect(new Date((start + block * 2) * 1000).toISOString()).toMatch(/^2026-05-2[45]T/);
  }
});

test('blocks are final when Ponder takes them for final', async () => {
  // None of Ponder's entries exports it.
  const file = new URL('../../../node_modules/ponder/dist/esm/utils/finality.js', import.meta.url);
  const ponder: { getFinalityBlockCount(of: { chain: { id: number } }): number } = await import(file.href);
  const byPonder = chains.map(({ chainId }) => ponder.getFinalityBlockCount({ chain: { id: chainId } }));
  expect(chains.map(({ finalityBlocks }) => finalityBlocks)).toEqual(byPonder);
});

test('a chain that the protocol is not deployed on is not found', () => {
  expect(findChain(1)).toBeUndefined();
});
