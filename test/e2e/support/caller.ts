import { randomUUID } from 'node:crypto';
import { type Address, createPublicClient, http, type PublicClient } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { pingPong } from '../../../bench/pingPong.ts';
import type { AgreementRecord, AgreementsClient, BodyOf, InputRecord } from '../../../client/src/index.ts';
import { readContractAccount } from '../../../src/cli/demo/contractAccount.ts';
import type { DevStack } from '../../../src/cli/dev/devStack.ts';
import { parseAddress } from '../../../src/protocol/index.ts';
import { patienceMs } from '../../support/patience.ts';
import { signDeployPermit, signInputPermit } from '../../support/permits.ts';
import { createSingleCallClient, isAway } from '../../support/singleCalls.ts';
import { waitUntil } from '../../support/waitUntil.ts';

type DeployBody = BodyOf<'deployWithPermit'>;
type InputBody = BodyOf<'submitInput'>;

/**
 * One wallet that calls the service on one chain, like a program that wants its request to happen exactly
 * once.
 */
export type Caller = {
  account: PrivateKeyAccount;
  client: PublicClient;
  service: AgreementsClient;
  /** A signed deployment of the ping-pong agreement, which can be sent any number of times. */
  prepareDeploy(): Promise<DeployBody>;
  deploy(body: DeployBody): Promise<AgreementRecord>;
  prepareHit(address: Address, note: string): Promise<InputBody>;
  hit(recordId: string, body: InputBody): Promise<InputRecord>;
  awaitDeployed(recordId: string): Promise<AgreementRecord & { address: Address }>;
  /** Waits until the served state equals the contract's state, and returns it with both histories. */
  awaitAgreement(record: { id: string; address: Address }): Promise<{
    state: string;
    served: readonly InputRecord[];
    onChain: Awaited<ReturnType<typeof readContractAccount>>;
  }>;
  /** The number of agreements that this wallet's permits have created on the chain. */
  countDeployed(): Promise<number>;
};

/** The data that a caller needs about its service. */
export type CalledStack = Pick<DevStack, 'baseUrl' | 'apiKey'> & {
  chains: readonly Pick<DevStack['chains'][number], 'chainId' | 'rpcUrl' | 'factory'>[];
};

export function createCaller(stack: CalledStack, chainId: number): Caller {
  const chain = stack.chains.find((candidate) => candidate.chainId === chainId);
  if (!chain) throw new Error(`the stack has no chain ${chainId}`);
  const { factory } = chain;
  const account = privateKeyToAccount(generatePrivateKey());
  const client = createPublicClient({ transport: http(chain.rpcUrl), cacheTime: 0 });
  const service = createSingleCallClient(stack);
  const agreement = pingPong;
  return {
    account,
    client,
    service,
    async prepareDeploy() {
      const documentId = randomUUID();
      const docUri = `${stack.baseUrl}/v0/agreements/documents/${documentId}`;
      const permit = await signDeployPermit({
        client,
        chainId,
        factory,
        agreement,
        docUri,
        values: {},
        account,
      });
      return { agreement, chainId, docUri, documentId, displayName: 'Ping pong', ...permit };
    },
    deploy: (body) => insist(() => service.agreements.deployWithPermit(body)),
    async prepareHit(agreementAddress, note) {
      const permit = { client, chainId, agreementAddress, agreement, account };
      const values = { note };
      return { inputId: 'hit', values, ...(await signInputPermit({ ...permit, inputId: 'hit', values })) };
    },
    hit: (recordId, body) => insist(() => service.agreements.submitInput(recordId, body)),
    awaitDeployed: (recordId) =>
      waitUntil(
        `${recordId} is deployed`,
        async () => {
          const record = await insist(() => service.agreements.get(recordId));
          const address = parseAddress(record.address);
          return record.status === 'Deployed' && address ? { ...record, address } : undefined;
        },
        patienceMs,
      ),
    awaitAgreement: ({ id, address }) =>
      waitUntil(
        `${id} serves what the contract says`,
        async () => {
          const onChain = await readContractAccount({
            client,
            address,
            agreement,
            signers: [account.address],
          });
          const { state } = await insist(() => service.agreements.getState(id));
          const { data: served } = await insist(async () =>
            service.agreements.listInputs(id, { limit: 100 }),
          );
          const isSettled =
            served.every(({ status }) => status === 'MINED') && served.length === onChain.inputs.length;
          return isSettled && state === onChain.state ? { state, served, onChain } : undefined;
        },
        patienceMs,
      ),
    countDeployed: async () => {
      const events = await client.getContractEvents({
        address: factory,
        abi: agreementFactoryAbi,
        eventName: 'AgreementCreatedWithPermit',
        args: { signer: account.address },
        fromBlock: 0n,
      });
      return events.length;
    },
  };
}

/** Sends the same request again while the service is away. The signed permit can take effect only once. */
function insist<T>(request: () => Promise<T>): Promise<T> {
  return waitUntil(
    'the service answers',
    () =>
      request().catch((error: unknown) => {
        if (isAway(error)) return undefined;
        throw error;
      }),
    patienceMs,
  );
}
