import { createTestClient, http, publicActions, walletActions } from 'viem';

/** Connects to an Anvil, with short polling and no cache: its answers show the chain's current state. */
export function createAnvilClient(rpcUrl: string) {
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl), pollingInterval: 10, cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions);
}
