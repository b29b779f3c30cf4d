import type { Hex, PublicClient } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { SignedInput } from './relayCalls.ts';

/** The gas of a call in the benchmark, with room to spare. */
const gas = 300_000n;
const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };

/**
 * Sends calls with viem from several wallets at once. It counts nonces itself and has this many sends under
 * way per wallet. This is the rate of one program that has the node and the keys for itself and stores
 * nothing. It takes calls until there are none or the time is up, and resolves when the node has accepted the
 * last one.
 */
export async function sendDirectly(options: {
  client: PublicClient;
  chainId: number;
  keys: readonly Hex[];
  calls: readonly SignedInput[];
  perWallet: number;
  isOver(): boolean;
}): Promise<number> {
  const { client, keys, calls, perWallet, isOver } = options;
  const waiting = calls.values();
  let sent = 0;
  const sendFrom = async (account: PrivateKeyAccount) => {
    let next = await client.getTransactionCount({ address: account.address });
    const lane = async () => {
      while (!isOver()) {
        const { value: call } = waiting.next();
        if (!call) return;
        const nonce = next++;
        const { to, data } = call;
        const terms = { type: 'eip1559', chainId: options.chainId, nonce, gas, ...fees } as const;
        const serializedTransaction = await account.signTransaction({ ...terms, to, data });
        await client.sendRawTransaction({ serializedTransaction });
        sent++;
      }
    };
    await Promise.all(Array.from({ length: perWallet }, lane));
  };
  await Promise.all(keys.map((key) => sendFrom(privateKeyToAccount(key))));
  return sent;
}
