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

test('a chain that the protocol is not deployed on is not found', () => {
  expect(findChain(1)).toBeUndefined();
});
