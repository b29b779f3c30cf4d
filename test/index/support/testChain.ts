import { type Address, encodeFunctionData, type Hex, type TransactionReceipt } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { testBatchAbi } from '../../../contracts-test/abis/TestBatch.ts';
import { testTokenAbi } from '../../../contracts-test/abis/TestToken.ts';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import { deployProtocol, deployTestBatch, deployTestToken } from '../../../contracts-test/deploy.ts';
import { startAnvil } from '../../../src/cli/devtools/anvil.ts';
import { findChain } from '../../../src/protocol/index.ts';
import { createAnvilClient } from '../../support/anvilClient.ts';

const mnemonic = 'test test test test test test test test test test test junk';
const account = (addressIndex: number) => mnemonicToAccount(mnemonic, { addressIndex });

/** Anvil's unlocked accounts, by their role. */
export const accounts = { owner: account(0), signer: account(1), submitter: account(2), other: account(3) };

export type Call = { to: Address; data: Hex };
export type TestChain = Awaited<ReturnType<typeof startTestChain>>;

/**
 * Starts an Anvil that imitates a chain of the registry, with the protocol at its addresses. The caller stops
 * it.
 */
export async function startTestChain(chainId: number) {
  const registered = findChain(chainId);
  if (!registered) throw new Error(`${chainId} is no chain of the registry`);
  const { factory, implementation } = registered;
  const anvil = await startAnvil({ chainId });
  const { rpcUrl } = anvil;
  await deployProtocol({ rpcUrl, chainId, factory, implementation });
  const forwarder = await deployTestToken({ rpcUrl });
  const batch = await deployTestBatch({ rpcUrl });
  const client = createAnvilClient(rpcUrl);

  const post = (call: Call, from: Address = accounts.submitter.address): Promise<Hex> =>
    client.sendTransaction({ account: from, chain: null, ...call });

  async function receiptOf(hash: Hex): Promise<TransactionReceipt> {
    const receipt = await awaitReceipt(client, hash);
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} reverted`);
    return receipt;
  }

  return {
    chainId,
    rpcUrl,
    accounts,
    factory,
    forwarder,
    batch,
    client,
    /** Mines the call in its own block. */
    send: async (call: Call, from?: Address) => receiptOf(await post(call, from)),
    /** Mines all calls in one block, each in its own transaction. */
    async sendInOneBlock(calls: readonly Call[]): Promise<TransactionReceipt[]> {
      await client.setAutomine(false);
      const hashes: Hex[] = [];
      for (const call of calls) hashes.push(await post(call));
      await client.mine({ blocks: 1 });
      await client.setAutomine(true);
      return Promise.all(hashes.map(receiptOf));
    },
    /** The call that makes all these calls in one transaction. */
    inOneTransaction: (calls: readonly Call[]): Call => ({
      to: batch,
      data: encodeFunctionData({
        abi: testBatchAbi,
        functionName: 'execute',
        args: [calls.map(toBatchCall)],
      }),
    }),
    /** The call that makes this call through another contract. */
    throughContract: ({ to, data }: Call): Call => ({
      to: forwarder,
      data: encodeFunctionData({ abi: testTokenAbi, functionName: 'forward', args: [to, data] }),
    }),
    readRawTransaction: (hash: Hex) =>
      client.request<{ Method: 'eth_getRawTransactionByHash'; Parameters: [Hex]; ReturnType: Hex }>({
        method: 'eth_getRawTransactionByHash',
        params: [hash],
      }),
    /** Mines an already signed transaction in its own block. */
    sendRaw: async (serializedTransaction: Hex) =>
      receiptOf(await client.sendRawTransaction({ serializedTransaction })),
    /** Replaces this many blocks by empty ones; their transactions are gone. */
    async dropBlocks(depth: number): Promise<void> {
      await client.request<{ Method: 'anvil_reorg'; Parameters: [number, unknown[]]; ReturnType: null }>({
        method: 'anvil_reorg',
        params: [depth, []],
      });
    },
    readFactoryNonce: () =>
      client.readContract({
        abi: agreementFactoryAbi,
        address: factory,
        functionName: 'nonces',
        args: [accounts.signer.address],
      }),
    readNonce: (agreement: Address) =>
      client.readContract({
        abi: agreementEngineAbi,
        address: agreement,
        functionName: 'nonces',
        args: [accounts.signer.address],
      }),
    readState: (agreement: Address) =>
      client.readContract({ abi: agreementEngineAbi, address: agreement, functionName: 'currentState' }),
    latestHash: async () => (await client.getBlock()).hash,
    stop: () => anvil.stop(),
  };
}

function toBatchCall({ to, data }: Call) {
  return { target: to, data };
}
