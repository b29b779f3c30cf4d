import { setTimeout as delay } from 'node:timers/promises';
import { type Address, createWalletClient, type Hex, http, type PublicClient } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import { encodeInputPayload, nameHash } from '../../protocol/index.ts';
import { signInputPermit } from './permits.ts';
import type { Parties, Party, Scenario, Step } from './scenarios.ts';
import {
  inputShape,
  recordShape,
  type ServedInput,
  type ServedRecord,
  type ServedState,
  stateShape,
} from './served.ts';
import { type ServiceClient, ServiceResponseError } from './serviceClient.ts';

const pollMs = 25;
const servedTimeoutMs = 120_000;

/** A deployed agreement that is being played. */
export type Stage = {
  scenario: Scenario;
  service: ServiceClient;
  client: PublicClient;
  rpcUrl: string;
  parties: Parties;
  agreement: unknown;
  record: ServedRecord;
  address: Address;
};

/** What the service serves of one agreement, its inputs in the order of the chain. */
export type Served = { record: ServedRecord; state: ServedState; inputs: ServedInput[] };

/** How a step went: from the call until the service served what it had changed. */
export type PlayedStep = { step: Step; txHash: Hex; tookMs: number };

/** Submits or sends one input, and waits until the service serves it as mined. */
export async function playStep(stage: Stage, step: Step): Promise<PlayedStep> {
  const startedAt = performance.now();
  const txHash = step.direct ? await sendDirectly(stage, step) : await submit(stage, step, step.by);
  const overdueAt = startedAt + servedTimeoutMs;
  while (!(await isServed(stage, txHash))) {
    if (performance.now() > overdueAt) throw new Error(`${step.inputId} (${txHash}) was not served in time`);
    await delay(pollMs);
  }
  return { step, txHash, tookMs: performance.now() - startedAt };
}

async function submit(stage: Stage, { inputId, values }: Step, by: Party): Promise<Hex> {
  const { service, client, parties, agreement, record, address } = stage;
  const permit = await signInputPermit({
    client,
    chainId: record.chainId,
    agreementAddress: address,
    agreement,
    inputId,
    values,
    account: parties[by],
  });
  const input = await service.post(
    `/agreements/${record.id}/input`,
    { inputId, values, ...permit },
    inputShape,
  );
  if (!input.txHash) throw new Error(`${inputId} was accepted without a transaction`);
  return input.txHash;
}

async function sendDirectly(stage: Stage, { inputId, values, by }: Step): Promise<Hex> {
  const { rpcUrl, client, parties, agreement, address } = stage;
  const wallet = createWalletClient({ account: parties[by], transport: http(rpcUrl) });
  const hash = await wallet.writeContract({
    address,
    abi: agreementEngineAbi,
    functionName: 'submitInput',
    args: [nameHash(inputId), encodeInputPayload(agreement, inputId, values)],
    chain: null,
  });
  const { status } = await awaitReceipt(client, hash);
  if (status !== 'success') throw new Error(`${inputId} reverted in ${hash}`);
  return hash;
}

/** The first input, signed by whoever may not submit it: the service says no before anything is sent. */
export async function tryAsWrongParty(stage: Stage): Promise<string> {
  const [step] = stage.scenario.steps;
  if (!step) return 'nothing to refuse';
  try {
    await submit(stage, step, step.by === 'author' ? 'partner' : 'author');
  } catch (error) {
    if (error instanceof ServiceResponseError) return `${error.status} ${error.reason}`;
    throw error;
  }
  return 'accepted';
}

async function isServed(stage: Stage, txHash: Hex): Promise<boolean> {
  const { inputs } = await readServed(stage);
  return inputs.some((input) => input.status === 'MINED' && input.txHash === txHash);
}

export async function readServed({ service, record }: Stage): Promise<Served> {
  const path = `/agreements/${record.id}`;
  const inputs = await service.get(`${path}/inputs?limit=100`, inputShape.array());
  return {
    inputs: inputs.toSorted((a, b) => (a.blockNumber ?? Infinity) - (b.blockNumber ?? Infinity)),
    state: await service.get(`${path}/state`, stateShape),
    record: await service.get(path, recordShape),
  };
}
