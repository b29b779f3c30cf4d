import type { Address, Hex } from 'viem';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import { deployProtocol, deployTestToken } from '../../../contracts-test/deploy.ts';
import { type Anvil, type AnvilFork, startAnvil } from '../../../src/cli/devtools/anvil.ts';
import { findChain } from '../../../src/protocol/index.ts';
import { createAnvilClient } from '../../support/anvilClient.ts';
import type { TestService } from './testService.ts';

export const chainId = 59141;

/**
 * Starts an Anvil in place of a public chain, by default Linea Sepolia, with the protocol and a token. With
 * `fork` it continues another chain. The caller stops it.
 */
export async function startTestChain(id = chainId, fork?: AnvilFork) {
  const facts = findChain(id);
  if (!facts) throw new Error(`${id} is not supported`);
  const { factory, implementation } = facts;
  const anvil: Anvil = await startAnvil({ chainId: id, fork });
  const { rpcUrl } = anvil;
  await deployProtocol({ rpcUrl, chainId: id, factory, implementation });
  const client = createAnvilClient(rpcUrl);
  const token = await deployTestToken({ rpcUrl });
  const [relayer = '0x'] = await client.getAddresses();

  return {
    rpcUrl,
    client,
    factory,
    token,
    relayer,
    stop: () => anvil.stop(),
    /** Sends a call from an unlocked account, and returns its hash once mined. */
    async send(to: Address, data: Hex): Promise<Hex> {
      const hash = await client.sendTransaction({ account: relayer, chain: null, to, data });
      const { status } = await awaitReceipt(client, hash);
      if (status !== 'success') throw new Error(`the transaction ${hash} reverted`);
      return hash;
    },
  };
}
export type TestChain = Awaited<ReturnType<typeof startTestChain>>;

/** Writes the row that a running worker writes: the chain has a funded wallet. */
export async function offerWallet({ handle }: TestService, { relayer }: TestChain): Promise<void> {
  await handle.pool.query(
    `insert into service.relayer_wallets (chain_id, address, status, balance, next_nonce, lease_owner, lease_until)
     values ($1, $2, 'active', 1, 0, 'a worker', now() + interval '1 day') on conflict (chain_id, address) do update set status = 'active'`,
    [chainId, relayer],
  );
}
