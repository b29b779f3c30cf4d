import { randomUUID } from 'node:crypto';
import { type Address, createPublicClient, http, type PublicClient } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { pingPong } from '../../../bench/pingPong.ts';
import { readContractAccount } from '../../../src/api/demo/contractAccount.ts';
import { signDeployPermit, signInputPermit } from '../../../src/api/demo/permits.ts';
import {
  inputShape,
  recordShape,
  type ServedInput,
  type ServedRecord,
  stateShape,
} from '../../../src/api/demo/served.ts';
import {
  createServiceClient,
  type ServiceClient,
  ServiceResponseError,
} from '../../../src/api/demo/serviceClient.ts';
import type { DevStack } from '../../../src/api/dev/devStack.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const settleTimeoutMs = 300_000;

/** One wallet that calls the service on one chain, the way a program would that wants its request to happen once. */
export type Caller = {
  account: PrivateKeyAccount;
  client: PublicClient;
  service: ServiceClient;
  /** A signed deployment of the ping-pong agreement, ready to be sent any number of times. */
  prepareDeploy(): Promise<Record<string, unknown>>;
  deploy(body: Record<string, unknown>): Promise<ServedRecord>;
  prepareHit(address: Address, note: string): Promise<Record<string, unknown>>;
  hit(recordId: string, body: Record<string, unknown>): Promise<ServedInput>;
  /** The record once it is deployed. */
  awaitDeployed(recordId: string): Promise<ServedRecord & { address: Address }>;
  /** Waits until the state served is the contract's own, and returns it with both histories. */
  awaitAgreement(record: { id: string; address: Address }): Promise<{
    state: string;
    served: ServedInput[];
    onChain: Awaited<ReturnType<typeof readContractAccount>>;
  }>;
  /** How many agreements this wallet's permits have created on the chain. */
  countDeployed(): Promise<number>;
};

/** What a caller has to know of the service that it calls. */
export type CalledStack = Pick<DevStack, 'baseUrl' | 'apiKey'> & {
  chains: readonly Pick<DevStack['chains'][number], 'chainId' | 'rpcUrl' | 'factory'>[];
};

export function createCaller(stack: CalledStack, chainId: number): Caller {
  const chain = stack.chains.find((candidate) => candidate.chainId === chainId);
  if (!chain) throw new Error(`the stack has no chain ${chainId}`);
  const { factory } = chain;
  const account = privateKeyToAccount(generatePrivateKey());
  const client = createPublicClient({ transport: http(chain.rpcUrl), cacheTime: 0 });
  const service = createServiceClient(stack);
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
    deploy: (body) => insist(() => service.post('/agreements/deploy-with-permit', body, recordShape)),
    async prepareHit(agreementAddress, note) {
      const permit = { client, chainId, agreementAddress, agreement, account };
      const values = { note };
      return { inputId: 'hit', values, ...(await signInputPermit({ ...permit, inputId: 'hit', values })) };
    },
    hit: (recordId, body) => insist(() => service.post(`/agreements/${recordId}/input`, body, inputShape)),
    awaitDeployed: (recordId) =>
      waitUntil(
        `${recordId} is deployed`,
        async () => {
          const record = await insist(() => service.get(`/agreements/${recordId}`, recordShape));
          return record.status === 'Deployed' && record.address
            ? { ...record, address: record.address }
            : undefined;
        },
        settleTimeoutMs,
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
          const { state } = await insist(() => service.get(`/agreements/${id}/state`, stateShape));
          const served = await insist(() =>
            service.get(`/agreements/${id}/inputs?limit=100`, inputShape.array()),
          );
          const isSettled =
            served.every(({ status }) => status === 'MINED') && served.length === onChain.inputs.length;
          return isSettled && state === onChain.state ? { state, served, onChain } : undefined;
        },
        settleTimeoutMs,
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

/** Sends the same request again while the service is away: what it signed can happen once only. */
function insist<T>(request: () => Promise<T>): Promise<T> {
  return waitUntil(
    'the service answers',
    () =>
      request().catch((error: unknown) => {
        const isAway =
          error instanceof ServiceResponseError ? error.status === 503 : error instanceof TypeError;
        if (isAway) return undefined;
        throw error;
      }),
    settleTimeoutMs,
  );
}
