import {
  type Address,
  createWalletClient,
  erc20Abi,
  type Hex,
  http,
  type PublicClient,
  parseAbi,
} from 'viem';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import { deployTestToken } from '../../../contracts-test/deploy.ts';
import type { Parties, Scenario } from './scenarios.ts';

const amount = 25_000n;
const mintable = parseAbi(['function mint(address account, uint256 amount)']);

export type Payment = {
  amount: bigint;
  /** The token's values for the document. */
  values: Record<string, string>;
  /** The author's approval for the agreement's payments. */
  approve(agreement: Address): Promise<void>;
  /** How much the partner has received since. */
  countMoved(): Promise<bigint>;
};

/** Deploys a token and gives the author enough of it; null for a document without payments. */
export async function preparePayment(options: {
  scenario: Scenario;
  rpcUrl: string;
  client: PublicClient;
  parties: Parties;
}): Promise<Payment | null> {
  const { scenario, rpcUrl, client, parties } = options;
  if (!scenario.payment) return null;
  const token = await deployTestToken({ rpcUrl, from: parties.author.address });
  const wallet = createWalletClient({ account: parties.author, transport: http(rpcUrl) });
  const confirm = async (hash: Hex) => {
    const { status } = await awaitReceipt(client, hash);
    if (status !== 'success') throw new Error(`the token refused ${hash}`);
  };
  const mint = { address: token, abi: mintable, functionName: 'mint', chain: null } as const;
  await confirm(await wallet.writeContract({ ...mint, args: [parties.author.address, amount] }));
  return {
    amount,
    values: { [scenario.payment.token]: token, [scenario.payment.amount]: String(amount) },
    async approve(agreement) {
      const approve = { address: token, abi: erc20Abi, functionName: 'approve', chain: null } as const;
      await confirm(await wallet.writeContract({ ...approve, args: [agreement, amount] }));
    },
    countMoved: () =>
      client.readContract({
        address: token,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [parties.partner.address],
      }),
  };
}
