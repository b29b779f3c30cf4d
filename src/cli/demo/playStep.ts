import { setTimeout as delay } from 'node:timers/promises';
import { type Address, createWalletClient, type Hex, http, type PublicClient } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import {
  type AgreementRecord,
  type AgreementState,
  type AgreementsClient,
  ApiError,
  type InputRecord,
} from '../../../client/src/index.ts';
import { signInput } from '../../../client/src/viem/index.ts';
import { awaitReceipt } from '../../../contracts-test/awaitReceipt.ts';
import { encodeInputPayload, nameHash } from '../../protocol/index.ts';
import type { Parties, Party, Scenario, Step } from './scenarios.ts';

const pollMs = 25;
const servedTimeoutMs = 120_000;

/** A deployed agreement that is being played. */
export type Stage = {
  scenario: Scenario;
  service: AgreementsClient;
  client: PublicClient;
  rpcUrl: string;
  parties: Parties;
  agreement: Record<string, unknown>;
  record: AgreementRecord;
  address: Address;
};

/** The service's data of one agreement, its inputs in the order of the chain. */
export type Served = {
  record: Pick<AgreementRecord, 'id' | 'state' | 'variables'>;
  state: Pick<AgreementState, 'state'>;
  inputs: ServedInput[];
};
export type ServedInput = Pick<
  InputRecord,
  'inputId' | 'status' | 'fromState' | 'toState' | 'signer' | 'payload' | 'txHash' | 'blockNumber'
>;

/** A step's result: the time from the call until the service served the change. */
export type PlayedStep = { step: Step; txHash: string; tookMs: number };

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

async function submit(stage: Stage, { inputId, values }: Step, by: Party): Promise<string> {
  const { service: client, parties, agreement, record } = stage;
  const input = { client, account: parties[by], agreementId: record.id, agreement, inputId, values };
  const { body } = await signInput(input);
  const { txHash } = await client.agreements.submitInput(record.id, body);
  if (!txHash) throw new Error(`${inputId} was accepted without a transaction`);
  return txHash;
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

/** The first input, signed by the wrong party: the service refuses it before anything is sent. */
export async function tryAsWrongParty(stage: Stage): Promise<string> {
  const [step] = stage.scenario.steps;
  if (!step) return 'nothing to refuse';
  try {
    await submit(stage, step, step.by === 'author' ? 'partner' : 'author');
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.reason}`;
    throw error;
  }
  return 'accepted';
}

async function isServed(stage: Stage, txHash: string): Promise<boolean> {
  const { inputs } = await readServed(stage);
  return inputs.some((input) => input.status === 'MINED' && input.txHash === txHash);
}

export async function readServed({ service: { agreements }, record: { id } }: Stage): Promise<Served> {
  const { data: inputs } = await agreements.listInputs(id, { limit: 100 });
  return {
    inputs: inputs.toSorted((a, b) => (a.blockNumber ?? Infinity) - (b.blockNumber ?? Infinity)),
    state: await agreements.getState(id),
    record: await agreements.get(id),
  };
}
