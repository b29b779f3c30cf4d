import type { Address, Hex } from 'viem';
import type { Creation } from '../../../../src/records/agreements/sameAgreement.ts';
import { addressOfClone, type ChainBlock, type ChainEvent } from './chain.ts';
import { type Lamp, lampTransitions, lampVariables } from './lamp.ts';

/** One input of an agreement on the chain, with the names from the document. */
export type ChainInput = {
  name: string;
  values: Record<string, string>;
  from: string;
  to: string;
  sequence: number | null;
  txHash: Hex;
  block: number;
};

export type ChainAgreement = {
  lamp: Lamp;
  /** What identifies its creation. */
  creation: Creation;
  deployedIn: number;
  state: string;
  stateBlock: number;
  stateTimestamp: number;
  variables: Record<string, string>;
  transitions: number;
  inputs: ChainInput[];
};

/** What used up one nonce of a signer at one contract. */
export type Effect = {
  content: string;
  timestamp: number;
  block: number;
  txHash: Hex;
  agreement: Address;
  position: number;
};

export type ChainState = { agreements: Map<Address, ChainAgreement>; effects: Map<string, Effect> };

export const permitKey = (contract: Address, signer: Address, nonce: number) =>
  `${contract} ${signer} ${nonce}`;
export const deploymentContent = (lamp: Lamp) => lamp.docHash;
export const inputContent = (input: { name: string; values: Record<string, string> }) =>
  JSON.stringify([input.name, input.values]);

/** Replays a chain in the simplest way: the state of the contracts after its last block. */
export function replay(factory: Address, blocks: readonly ChainBlock[]): ChainState {
  const state: ChainState = { agreements: new Map(), effects: new Map() };
  const nonces = new Map<string, number>();
  const consume = (contract: Address, event: ChainEvent, effect: Effect) => {
    if (event.signer === undefined) return undefined;
    const account = `${contract} ${event.signer}`;
    const nonce = nonces.get(account) ?? 0;
    nonces.set(account, nonce + 1);
    state.effects.set(permitKey(contract, event.signer, nonce), effect);
    return nonce;
  };
  for (const { number, timestamp, events } of blocks) {
    for (const event of events) {
      const effect = { timestamp, block: number, txHash: event.txHash };
      if (event.kind === 'deploy') {
        const agreement = addressOfClone(state.agreements.size);
        const content = deploymentContent(event.lamp);
        const nonce = consume(factory, event, { ...effect, content, agreement, position: 0 });
        const creation = creationOf(event, factory, nonce);
        state.agreements.set(agreement, { ...deployed(event.lamp, number, timestamp), creation });
        continue;
      }
      const agreement = state.agreements.get(event.agreement);
      if (!agreement) continue;
      accept(agreement, event, number, timestamp);
      const content = inputContent(event.input);
      const position = agreement.inputs.length;
      consume(event.agreement, event, { ...effect, content, agreement: event.agreement, position });
    }
  }
  return state;
}

function creationOf(
  { txHash, signer, isIndirect, lamp }: Extract<ChainEvent, { kind: 'deploy' }>,
  factory: Address,
  nonce: number | undefined,
): Creation {
  const isReadable = signer !== undefined && nonce !== undefined && !isIndirect;
  const permitCreation = isReadable ? `${factory} ${signer} ${nonce} ${lamp.signedHash}`.toLowerCase() : null;
  return { transactionHash: txHash, permitCreation };
}

function deployed(lamp: Lamp, number: number, timestamp: number): Omit<ChainAgreement, 'creation'> {
  return {
    lamp,
    deployedIn: number,
    state: lamp.initialState,
    stateBlock: number,
    stateTimestamp: timestamp,
    variables: { ...lampVariables },
    transitions: 0,
    inputs: [],
  };
}

function accept(
  agreement: ChainAgreement,
  { input, txHash }: Extract<ChainEvent, { kind: 'input' }>,
  block: number,
  timestamp: number,
): void {
  const { name, values } = input;
  const from = agreement.state;
  const to = lampTransitions[from]?.[name] ?? from;
  if (to !== from) {
    agreement.transitions += 1;
    agreement.stateTimestamp = timestamp;
  }
  agreement.state = to;
  agreement.stateBlock = block;
  Object.assign(agreement.variables, values);
  const sequence = to === from ? null : agreement.transitions;
  agreement.inputs.push({ name, values, from, to, sequence, txHash, block });
}
