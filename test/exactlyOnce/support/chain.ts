import {
  type Address,
  encodeFunctionData,
  getAbiItem,
  getAddress,
  type Hex,
  parseEther,
  parseEventLogs,
} from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { testBatchAbi } from '../../../contracts-test/abis/TestBatch.ts';
import { deployProtocol, deployTestBatch } from '../../../contracts-test/deploy.ts';
import { startAnvil } from '../../../src/cli/devtools/anvil.ts';
import { encodeInputPayload, findChain, nameHash } from '../../../src/protocol/index.ts';
import { createAnvilClient } from '../../support/anvilClient.ts';
import { rally } from './rally.ts';

export type Chain = Awaited<ReturnType<typeof startChain>>;
export type RallyInput = 'hit' | 'applaud';

/** The effect of an accepted input, in the chain's order. */
export type ChainInput = { agreement: Address; from: Hex; to: Hex; inputId: Hex; txHash: Hex };

/** Enough for several inputs in one transaction. */
const gas = 2_000_000n;

/** Starts an Anvil with the protocol. After `takeOver` it mines only on request. The caller stops it. */
export async function startChain(chainId: number, relayers: readonly Address[]) {
  const registered = findChain(chainId);
  if (!registered) throw new Error(`${chainId} is not supported`);
  const { factory, implementation } = registered;
  const anvil = await startAnvil({ chainId });
  const { rpcUrl } = anvil;
  const client = createAnvilClient(rpcUrl);
  await deployProtocol({ rpcUrl, chainId, factory, implementation });
  const batch = await deployTestBatch({ rpcUrl });
  for (const address of relayers) await client.setBalance({ address, value: parseEther('10000') });
  const senders = await client.getAddresses();

  const callOf = (name: RallyInput, note: string): Hex => {
    const values: Record<string, string> = name === 'hit' ? { note } : {};
    const args = [nameHash(name), encodeInputPayload(rally, name, values)] as const;
    return encodeFunctionData({ abi: agreementEngineAbi, functionName: 'submitInput', args });
  };
  const readRaw = async (hash: Hex): Promise<Hex> => {
    const raw = await client.request<{
      Method: 'eth_getRawTransactionByHash';
      Parameters: [Hex];
      ReturnType: Hex | null;
    }>({ method: 'eth_getRawTransactionByHash', params: [hash] });
    if (raw === null) throw new Error(`the transaction ${hash} is gone`);
    return raw;
  };
  const replaceBlocks = (depth: number, included: readonly (readonly [Hex, number])[]) =>
    client.request<{ Method: 'anvil_reorg'; Parameters: [number, unknown]; ReturnType: null }>({
      method: 'anvil_reorg',
      params: [depth, included],
    });

  return {
    chainId,
    factory,
    rpcUrl,
    client,
    stop: () => anvil.stop(),
    /** From now on only `mine` makes blocks. */
    takeOver: () => client.setAutomine(false),
    mine: (blocks = 1) => client.mine({ blocks }),
    /**
     * Sends inputs in one transaction directly to the contract, from one of the chain's accounts. They wait
     * for the next block.
     */
    async send(
      agreement: Address,
      inputs: readonly RallyInput[],
      { sender, note }: { sender: number; note: string },
    ) {
      const account = senders[sender % senders.length];
      const [first] = inputs;
      if (!account || !first) throw new Error('there is nothing to send');
      const calls = inputs.map((name) => ({ target: agreement, data: callOf(name, note) }));
      const data = encodeFunctionData({ abi: testBatchAbi, functionName: 'execute', args: [calls] });
      const call = inputs.length === 1 ? { to: agreement, data: callOf(first, note) } : { to: batch, data };
      await client.sendTransaction({ account, chain: null, gas, ...call });
    },
    /**
     * Replaces the last blocks by empty ones. With `isIncluding`, the last new block holds the same
     * transactions.
     */
    async reorganise(depth: number, { isIncluding }: { isIncluding: boolean }): Promise<number> {
      const head = Number(await client.getBlockNumber());
      const hashes: Hex[] = [];
      for (let at = depth - 1; at >= 0; at--) {
        const block = await client.getBlock({ blockNumber: BigInt(head - at) });
        hashes.push(...block.transactions);
      }
      const included: [Hex, number][] = [];
      if (isIncluding) for (const hash of hashes) included.push([await readRaw(hash), depth - 1]);
      await replaceBlocks(depth, included);
      return hashes.length;
    },
    /** Every input that agreements have accepted on the present chain. */
    async readInputs(): Promise<ChainInput[]> {
      const event = getAbiItem({ abi: agreementEngineAbi, name: 'InputAccepted' });
      const logs = await client.getLogs({ event, fromBlock: 0n });
      return parseEventLogs({ abi: [event], logs }).map(({ address, args, transactionHash: txHash }) => {
        const { fromState: from, toState: to, inputId } = args;
        return { agreement: getAddress(address), from, to, inputId, txHash };
      });
    },
  };
}
