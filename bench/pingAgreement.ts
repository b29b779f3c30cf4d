import { createPublicClient, createWalletClient, http, type TransactionReceipt } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../abis/AgreementEngine.ts';
import type { AgreementsClient } from '../client/src/index.ts';
import { deployAgreement } from '../client/src/viem/index.ts';
import { awaitReceipt } from '../contracts-test/awaitReceipt.ts';
import type { DevStack } from '../src/cli/dev/devStack.ts';
import { encodeInputPayload, nameHash, parseAddress } from '../src/protocol/index.ts';
import { pingPong } from './pingPong.ts';

/** An agreement on a chain of a running stack, which switches between its two states with each hit. */
export type PingAgreement = {
  id: string;
  /** Sends an input directly to the contract, and resolves as soon as its sender sees that it is mined. */
  hit(note: string): Promise<TransactionReceipt>;
};

/** Deploys it through the service, for the account at this position from the end of the stack's list. */
export async function deployPingAgreement(options: {
  stack: DevStack;
  client: AgreementsClient;
  chainId: number;
  displayName: string;
  accountFromEnd: number;
}): Promise<PingAgreement> {
  const { stack, client, chainId, displayName, accountFromEnd } = options;
  const chain = stack.chains.find((candidate) => candidate.chainId === chainId);
  const owner = stack.accounts.at(-accountFromEnd);
  if (!chain || !owner) throw new Error(`the stack has no chain ${chainId}`);
  const account = privateKeyToAccount(owner.privateKey);
  const transport = http(chain.rpcUrl);
  const reader = createPublicClient({ transport, cacheTime: 0 });
  const wallet = createWalletClient({ account, transport });

  const { id, ...record } = await deployAgreement({
    client,
    account,
    agreement: pingPong,
    chainId,
    displayName,
  });
  const address = parseAddress(record.address);
  if (!address) throw new Error(`${id} is still a Draft`);
  return {
    id,
    async hit(note) {
      const hash = await wallet.writeContract({
        address,
        abi: agreementEngineAbi,
        functionName: 'submitInput',
        args: [nameHash('hit'), encodeInputPayload(pingPong, 'hit', { note })],
        chain: null,
      });
      return awaitReceipt(reader, hash, { pollMs: 1 });
    },
  };
}
