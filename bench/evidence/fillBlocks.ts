import {
  type Address,
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  parseEther,
  publicActions,
  walletActions,
} from 'viem';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { encodeInputPayload, nameHash } from '../../src/protocol/index.ts';
import type { ServiceStack } from '../../test/support/serviceStack.ts';
import { pingPong } from '../pingPong.ts';
import { signInputs } from '../relayCalls.ts';

const permitsOfSigner = 50;
const sendsAtOnce = 50;
/** A busy Anvil is slow, and a call that is sent again fails. */
const timeoutMs = 300_000;
const gasLimit = 2_000_000_000n;

type Call = { readonly to: Address; readonly data?: Hex; readonly value?: bigint };

/**
 * Gives an agreement a history of permits, a few in each block, and fills the blocks with inputs of another
 * agreement and with payments.
 */
export async function fillBlocks(
  stack: ServiceStack,
  {
    agreement,
    other,
    inputs,
    inputsPerBlock,
    blockTransactions,
  }: {
    agreement: { id: string; address: Address };
    other: Address;
    inputs: number;
    inputsPerBlock: number;
    blockTransactions: number;
  },
): Promise<void> {
  const { chainId } = stack;
  const transport = http(stack.rpcUrl, { timeout: timeoutMs, retryCount: 0 });
  const client = createTestClient({ mode: 'anvil', transport, cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions);
  const own = await signInputs([agreement], { chainId, count: inputs, nonces: permitsOfSigner });
  const data = encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInput',
    args: [nameHash('hit'), encodeInputPayload(pingPong, 'hit', { note: 'beside' })],
  });
  // Anvil signs for this account: transactions of impersonated accounts have no valid signature.
  const [sender] = await client.getAddresses();
  if (!sender) throw new Error('the chain has no account');
  await client.setBalance({ address: sender, value: parseEther('1000000') });
  await client.setBlockGasLimit({ gasLimit });
  await client.setAutomine(false);
  let nonce = await client.getTransactionCount({ address: sender });
  const send = ({ to, data, value }: Call) =>
    client.sendTransaction({
      ...{ account: sender, chain: null, to, nonce: nonce++, gas: 400_000n },
      ...(data && { data }),
      ...(value !== undefined && { value }),
    });
  for (let at = 0; at < inputs; at += inputsPerBlock) {
    const calls: Call[] = own.slice(at, at + inputsPerBlock);
    const beside = Array.from(
      { length: blockTransactions - calls.length },
      (_, which): Call => (which % 2 === 0 ? { to: other, data } : { to: sender, value: 1n }),
    );
    const all = spread(calls, beside);
    for (let sent = 0; sent < all.length; sent += sendsAtOnce)
      await Promise.all(all.slice(sent, sent + sendsAtOnce).map(send));
    await client.mine({ blocks: 1 });
  }
  await client.setAutomine(true);
}

/** Inserts some calls among others, at equal distances. */
function spread(some: readonly Call[], others: readonly Call[]): Call[] {
  const share = others.length / some.length;
  return some.flatMap((call, at) => [
    call,
    ...others.slice(Math.round(at * share), Math.round((at + 1) * share)),
  ]);
}
