import type { Address, Hex, PrivateKeyAccount } from 'viem';
import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Fees } from './fees.ts';

/** Signs for one address on one chain. The key stays inside. */
export type Wallet = {
  readonly address: Address;
  sign(call: WalletCall): Promise<SignedTransaction>;
};

export type WalletCall = { to: Address; data: Hex; gas: bigint; nonce: number; fees: Fees };
export type SignedTransaction = { hash: Hex; raw: Hex };

export function createWallet(privateKey: Hex, chainId: number): Wallet {
  const account: PrivateKeyAccount = privateKeyToAccount(privateKey);
  return {
    address: account.address,
    async sign({ to, data, gas, nonce, fees }) {
      const raw = await account.signTransaction({ type: 'eip1559', chainId, to, data, gas, nonce, ...fees });
      return { raw, hash: keccak256(raw) };
    },
  };
}
