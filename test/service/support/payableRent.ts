import { type Address, encodeFunctionData } from 'viem';
import { testTokenAbi } from '../../../contracts-test/abis/TestToken.ts';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import type { TestChain } from './testChain.ts';

const rent = 5n;

/** Gives the tenant of a lease the tokens for the rent, and allows the agreement to take them. */
export async function makeRentPayable(
  { client, token, send }: TestChain,
  { tenant, agreement }: { tenant: Address; agreement: Address },
): Promise<void> {
  await send(token, encodeFunctionData({ abi: testTokenAbi, functionName: 'mint', args: [tenant, rent] }));
  await client.impersonateAccount({ address: tenant });
  await client.setBalance({ address: tenant, value: 10n ** 18n });
  const data = encodeFunctionData({ abi: testTokenAbi, functionName: 'approve', args: [agreement, rent] });
  const hash = await client.sendTransaction({ account: tenant, chain: null, to: token, data });
  await awaitReceipt(client, hash);
}
