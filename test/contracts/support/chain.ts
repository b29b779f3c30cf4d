import { type Address, createPublicClient, type Hex, http, numberToHex, type TransactionReceipt } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import { deployProtocol } from '../../../contracts-test/deploy.ts';
import { startAnvil } from '../../../src/cli/devtools/anvil.ts';
import { createAnvilClient } from '../../support/anvilClient.ts';

/** The protocol's addresses on Ethereum Sepolia, which the test chain imitates. */
export const chainId = 11155111;
export const factory: Address = '0x76dAA59C02d902e7063E6328D2E64ACee6CC121e';
export const implementation: Address = '0x1c2961AC5e2fBE47b3C0654d7dF543dB04F031A6';

const mnemonic = 'test test test test test test test test test test test junk';
const account = (addressIndex: number) => mnemonicToAccount(mnemonic, { addressIndex });

/** Anvil's unlocked accounts, by their role. */
export const accounts = {
  owner: account(0),
  signer: account(1),
  submitter: account(2),
  stranger: account(3),
};

/** A call or a transaction; without `to`, the creation of a contract. */
export interface Call {
  from: Address;
  to?: Address;
  data: Hex;
  value?: bigint;
  gas?: bigint;
}

export type TestChain = Awaited<ReturnType<typeof startTestChain>>;

/** Starts an Anvil with the protocol at its usual addresses. The caller stops it. */
export async function startTestChain() {
  const anvil = await startAnvil({ chainId });
  const { rpcUrl } = anvil;
  await deployProtocol({ rpcUrl, chainId, factory, implementation });
  const client = createAnvilClient(rpcUrl);
  const caller = createPublicClient({ transport: http(rpcUrl) });

  /**
   * Returns the revert data of the call (`0x` if there is none), or null if it does not revert. The call runs
   * in a block of the given time, or of the present.
   */
  async function findRevertData(
    { from, to, data, value = 0n }: Call,
    timestamp?: bigint,
  ): Promise<Hex | null> {
    const transaction = { from, data, value: numberToHex(value), ...(to && { to }) };
    const blockOverrides = timestamp === undefined ? {} : { time: numberToHex(timestamp) };
    try {
      await caller.request({ method: 'eth_call', params: [transaction, 'latest', {}, blockOverrides] });
      return null;
    } catch (error) {
      return readRevertData(error);
    }
  }

  /** Sends a transaction that must succeed, and returns its receipt. */
  async function send({ from, ...call }: Call): Promise<TransactionReceipt> {
    const hash = await client.sendTransaction({ account: from, chain: null, ...call });
    const receipt = await awaitReceipt(client, hash);
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} reverted`);
    return receipt;
  }

  /** The chain's own clock, in Unix seconds. */
  const now = async () => (await client.getBlock()).timestamp;

  return { rpcUrl, client, send, findRevertData, now, stop: () => anvil.stop() };
}

function readRevertData(error: unknown): Hex {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('data' in cause && typeof cause.data === 'string') return `0x${cause.data.slice(2)}`;
  }
  throw error;
}
