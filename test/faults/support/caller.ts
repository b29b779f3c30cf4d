import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { pingPong } from '../../../bench/pingPong.ts';
import { signDeployPermit, signInputPermit } from '../../../src/api/demo/permits.ts';
import { inputShape, recordShape } from '../../../src/api/demo/served.ts';
import {
  createServiceClient,
  type ServiceClient,
  ServiceResponseError,
} from '../../../src/api/demo/serviceClient.ts';
import { encodeInputPayload } from '../../../src/protocol/index.ts';
import { pick } from '../../support/random.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { waitUntil } from '../../support/waitUntil.ts';

export type Agreement = { id: string; address: Address };
/** What the service has answered with success. */
export type Promised = {
  deployments: { id: string; signer: Address }[];
  /** Each payload is sent once in all. */
  inputs: { id: string; agreement: Agreement; payload: Hex }[];
};

export type CallerOptions = {
  stack: ServiceStack;
  baseUrls: readonly string[];
  random(): number;
  /** Agreements that all callers send inputs to. */
  agreements: Agreement[];
  promised: Promised;
  isOver(): boolean;
  onRetry(): void;
  /** An answer that no client expects who has done nothing wrong. */
  onRefusal(description: string): void;
};

const deployShare = 0.08;
const pauseMs = 100;
const retryPauseMs = 250;
const patienceMs = 300_000;

/** One wallet that deploys agreements and sends inputs to whichever there are, one request at a time, each until it is answered. */
export async function playCaller(options: CallerOptions): Promise<void> {
  const { stack, random, agreements, promised, isOver } = options;
  const { reader: client, chainId, factory } = stack;
  const account = privateKeyToAccount(generatePrivateKey());
  const services = options.baseUrls.map((baseUrl) => createServiceClient({ baseUrl, apiKey: stack.apiKey }));
  const insist = createInsistence(services, options);
  /** Inputs of this wallet to each agreement. */
  const sent = new Map<Address, bigint>();

  const deploy = async () => {
    const documentId = randomUUID();
    const docUri = `${options.baseUrls[0]}/v0/agreements/documents/${documentId}`;
    const agreement = pingPong;
    const signing = { client, chainId, factory, agreement, docUri, values: {}, account };
    const body = { agreement, chainId, docUri, documentId, displayName: 'Fault test' };
    const permit = await signDeployPermit(signing);
    const path = '/agreements/deploy-with-permit';
    const record = await insist((service) => service.post(path, { ...body, ...permit }, recordShape));
    if (!record) return;
    promised.deployments.push({ id: record.id, signer: account.address });
    const deployed = await waitUntil(
      `${record.id} is deployed`,
      async () => {
        const now = await insist((service) => service.get(`/agreements/${record.id}`, recordShape));
        return now?.status === 'Deployed' && now.address ? { id: now.id, address: now.address } : undefined;
      },
      patienceMs,
    );
    agreements.push(deployed);
  };

  const hit = async (agreement: Agreement) => {
    const { address: agreementAddress } = agreement;
    const values = { note: randomUUID() };
    const signing = {
      client,
      chainId,
      agreementAddress,
      agreement: pingPong,
      inputId: 'hit',
      values,
      account,
    };
    const body = { inputId: 'hit', values, ...(await signInputPermit(signing)) };
    const path = `/agreements/${agreement.id}/input`;
    const input = await insist((service) => service.post(path, body, inputShape));
    if (!input) return;
    promised.inputs.push({ id: input.id, agreement, payload: encodeInputPayload(pingPong, 'hit', values) });
    // The next permit is signed for the next nonce.
    const accepted = (sent.get(agreementAddress) ?? 0n) + 1n;
    sent.set(agreementAddress, accepted);
    const reading = { address: agreementAddress, abi: agreementEngineAbi, functionName: 'nonces' } as const;
    await waitUntil(
      `${input.id} is on the chain`,
      async () => (await client.readContract({ ...reading, args: [account.address] })) >= accepted,
      patienceMs,
    );
  };

  await deploy();
  while (!isOver()) {
    if (random() < deployShare) await deploy();
    else if (agreements.length > 0) await hit(pick(random, agreements));
    await delay(pauseMs * random());
  }
}

/** Sends a request to one replica after the other until one answers it with success, as a client does that must be sure. */
function createInsistence(services: readonly ServiceClient[], options: CallerOptions) {
  const { random, onRetry, onRefusal } = options;
  return async <Answer>(
    request: (service: ServiceClient) => Promise<Answer>,
  ): Promise<Answer | undefined> => {
    let at = Math.floor(random() * services.length);
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      const service = services[at++ % services.length];
      if (!service) throw new Error('there is no replica');
      try {
        return await request(service);
      } catch (error) {
        const isAway =
          error instanceof ServiceResponseError ? error.status === 503 : error instanceof TypeError;
        if (!isAway) {
          onRefusal(String(error));
          return undefined;
        }
        if (performance.now() > giveUpAt) throw error;
        onRetry();
        await delay(retryPauseMs);
      }
    }
  };
}
