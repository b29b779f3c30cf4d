import { randomUUID } from 'node:crypto';
import { createPublicClient, createWalletClient, http, type TransactionReceipt } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../abis/AgreementEngine.ts';
import { awaitReceipt } from '../contracts-test/awaitReceipt.ts';
import { signDeployPermit } from '../src/api/demo/permits.ts';
import { recordShape } from '../src/api/demo/served.ts';
import type { ServiceClient } from '../src/api/demo/serviceClient.ts';
import type { DevStack } from '../src/api/dev/devStack.ts';
import { encodeInputPayload, nameHash } from '../src/protocol/index.ts';
import { pingPong } from './pingPong.ts';

/** An agreement on a chain of a running stack, which goes to the other of its two states with each hit. */
export type PingAgreement = {
  id: string;
  /** Sends an input straight to the contract, and resolves as soon as its sender sees that it is mined. */
  hit(note: string): Promise<TransactionReceipt>;
};

/** Deploys it through the service, for the account that stands so far from the end of the stack's list. */
export async function deployPingAgreement(options: {
  stack: DevStack;
  service: ServiceClient;
  chainId: number;
  displayName: string;
  accountFromEnd: number;
}): Promise<PingAgreement> {
  const { stack, service, chainId, displayName, accountFromEnd } = options;
  const chain = stack.chains.find((candidate) => candidate.chainId === chainId);
  const owner = stack.accounts.at(-accountFromEnd);
  if (!chain || !owner) throw new Error(`the stack has no chain ${chainId}`);
  const account = privateKeyToAccount(owner.privateKey);
  const transport = http(chain.rpcUrl);
  const client = createPublicClient({ transport, cacheTime: 0 });
  const wallet = createWalletClient({ account, transport });

  const documentId = randomUUID();
  const docUri = `${stack.baseUrl}/v0/agreements/documents/${documentId}`;
  const request = { agreement: pingPong, chainId, docUri, documentId, displayName };
  const permit = await signDeployPermit({ ...request, ...chain, client, values: {}, account });
  const body = { ...request, ...permit };
  const { id, address } = await service.post('/agreements/deploy-with-permit', body, recordShape);
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
      return awaitReceipt(client, hash, { pollMs: 1 });
    },
  };
}
