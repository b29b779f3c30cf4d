import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { pingPong } from '../../../bench/pingPong.ts';
import { encodeInputPayload, parseAddress } from '../../../src/protocol/index.ts';
import { signDeployPermit, signInputPermit } from '../../support/permits.ts';
import { pick } from '../../support/random.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { createInsistence } from './insistence.ts';

export type Agreement = { id: string; address: Address };
/** The requests that the service answered with success. */
export type Promised = {
  deployments: { id: string; signer: Address }[];
  /** Each payload is used only once. */
  inputs: { id: string; agreement: Agreement; payload: Hex }[];
};

export type CallerOptions = {
  stack: ServiceStack;
  baseUrls: readonly string[];
  random(): number;
  /** Agreements to which all callers send inputs. */
  agreements: Agreement[];
  promised: Promised;
  isOver(): boolean;
  onRetry(): void;
  /** Receives answers that a correct client never expects. */
  onRefusal(description: string): void;
};

const deployShare = 0.08;
const pauseMs = 100;
const patienceMs = 300_000;

/**
 * One wallet that deploys agreements and sends inputs to existing ones, one request at a time. It repeats
 * each request until it is answered.
 */
export async function playCaller(options: CallerOptions): Promise<void> {
  const { random, agreements, isOver } = options;
  const { deploy, hit } = createCaller(options);
  await deploy();
  while (!isOver()) {
    if (random() < deployShare) await deploy();
    else if (agreements.length > 0) await hit(pick(random, agreements));
    await delay(pauseMs * random());
  }
}

/** A wallet and its requests to the service. It repeats each request until it is answered. */
export function createCaller(options: Omit<CallerOptions, 'isOver'>) {
  const { stack, agreements, promised } = options;
  const { reader: client, chainId, factory } = stack;
  const account = privateKeyToAccount(generatePrivateKey());
  const services = options.baseUrls.map((baseUrl) =>
    createSingleCallClient({ baseUrl, apiKey: stack.apiKey }),
  );
  const insist = createInsistence(services, {
    ...options,
    onRefusal: (error) => options.onRefusal(String(error)),
  });
  /** The number of this wallet's inputs to each agreement. */
  const sent = new Map<Address, bigint>();

  /** Returns the agreement once it is deployed. From then on others may send inputs to it. */
  const deploy = async (): Promise<Agreement | undefined> => {
    const documentId = randomUUID();
    const docUri = `${options.baseUrls[0]}/v0/agreements/documents/${documentId}`;
    const agreement = pingPong;
    const signing = { client, chainId, factory, agreement, docUri, values: {}, account };
    const body = { agreement, chainId, docUri, documentId, displayName: 'Fault test' };
    const permit = await signDeployPermit(signing);
    const record = await insist((service) => service.agreements.deployWithPermit({ ...body, ...permit }));
    if (!record) return undefined;
    promised.deployments.push({ id: record.id, signer: account.address });
    const deployed = await waitUntil(
      `${record.id} is deployed`,
      async () => {
        const now = await insist((service) => service.agreements.get(record.id));
        const address = parseAddress(now?.address);
        return now?.status === 'Deployed' && address ? { id: now.id, address } : undefined;
      },
      patienceMs,
    );
    agreements.push(deployed);
    return deployed;
  };

  /** Returns once the input is on the chain. Calls `onAnswer` when the service has answered. */
  const hit = async (agreement: Agreement, onAnswer: (id: string) => void = () => {}): Promise<void> => {
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
    const input = await insist((service) => service.agreements.submitInput(agreement.id, body));
    if (!input) return;
    onAnswer(input.id);
    promised.inputs.push({ id: input.id, agreement, payload: encodeInputPayload(pingPong, 'hit', values) });
    // The next permit uses the next nonce.
    const accepted = (sent.get(agreementAddress) ?? 0n) + 1n;
    sent.set(agreementAddress, accepted);
    const reading = { address: agreementAddress, abi: agreementEngineAbi, functionName: 'nonces' } as const;
    await waitUntil(
      `${input.id} is on the chain`,
      async () => (await client.readContract({ ...reading, args: [account.address] })) >= accepted,
      patienceMs,
    );
  };

  return { deploy, hit };
}
