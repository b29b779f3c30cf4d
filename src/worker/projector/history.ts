import { type Address, getAddress, type Hex } from 'viem';
import type { VariableValues } from '../../platform/database/tables/records.ts';
import type { PayloadReader } from '../../protocol/payloadReader.ts';
import { valuesByName } from '../../protocol/valuesByName.ts';
import type { AuthoredDocument } from './projectedDocument.ts';

/** An input of the index; everything in lower case, times in Unix seconds. */
export type IndexedInput = {
  position: number;
  inputId: Hex;
  fromState: Hex;
  toState: Hex;
  sequence: number | null;
  payload: Hex;
  permitSigner: Hex | null;
  permitSubmitter: Hex | null;
  transactionHash: Hex;
  transactionFrom: Hex;
  transactionTo: Hex | null;
  transactionOrdinal: number;
  blockNumber: bigint;
  blockTimestamp: bigint;
};

/** A record's on-chain data, up to and including input number `inputCount`. */
export type History = {
  /** The contract, in lower case. */
  agreement: Hex;
  variables: VariableValues;
  stateHash: Hex;
  /** The block of the deployment or of the last input; times in Unix seconds. */
  stateBlockNumber: bigint;
  stateTimestamp: bigint;
  inputCount: number;
  transitionCount: number;
  lastInput: { inputId: string; timestamp: bigint } | null;
};

/** An input in a record's history, in its stored form. */
export type MinedInput = {
  /** The effective values after it; stored only with the record. */
  variables: VariableValues;
  position: number;
  inputId: string;
  signer: Address | null;
  submitter: Address | null;
  fromState: string;
  toState: string;
  sequence: number | null;
  payload: Hex;
  values: VariableValues;
  txHash: Hex;
  transactionOrdinal: number;
  blockNumber: bigint;
  blockTimestamp: bigint;
};

/** The history before the first input. */
export function beginHistory(deployment: {
  agreement: Hex;
  initialState: Hex;
  initialVariables: VariableValues;
  blockNumber: bigint;
  blockTimestamp: bigint;
}): History {
  return {
    agreement: deployment.agreement,
    variables: deployment.initialVariables,
    stateHash: deployment.initialState,
    stateBlockNumber: deployment.blockNumber,
    stateTimestamp: deployment.blockTimestamp,
    inputCount: 0,
    transitionCount: 0,
    lastInput: null,
  };
}

/** The history after one more input, and that input in its stored form. */
export function continueHistory(
  history: History,
  input: IndexedInput,
  { document, reader }: { document: AuthoredDocument; reader: PayloadReader },
): { history: History; mined: MinedInput } {
  const fields = reader.decode(input);
  const inputId = document.nameInput(input.inputId);
  const isTransition = input.sequence !== null;
  const applied = reader.apply(history.variables, { inputId: input.inputId, fields });
  const variables = keepFitting(applied, history.variables);
  return {
    history: {
      agreement: history.agreement,
      variables,
      stateHash: input.toState,
      stateBlockNumber: input.blockNumber,
      stateTimestamp: isTransition ? input.blockTimestamp : history.stateTimestamp,
      inputCount: input.position,
      transitionCount: input.sequence ?? history.transitionCount,
      lastInput: { inputId, timestamp: input.blockTimestamp },
    },
    mined: {
      variables,
      ...accountsOf(input, history.agreement),
      position: input.position,
      inputId,
      fromState: document.nameState(input.fromState),
      toState: document.nameState(input.toState),
      sequence: input.sequence,
      payload: input.payload,
      values: valuesByName(fields),
      txHash: input.transactionHash,
      transactionOrdinal: input.transactionOrdinal,
      blockNumber: input.blockNumber,
      blockTimestamp: input.blockTimestamp,
    },
  };
}

/**
 * The most characters of a record's variables: every read returns them whole, and every fold writes them whole. Nobody
 * can deploy more, but anybody who may move an agreement can send more.
 */
const variableTextLimit = 1024 * 1024;
/** Shorter values always stay. */
const leastLeftOut = 1_024;

/**
 * Leaves out the longest values that an input has set if all variables together are too long. What one party sends must
 * not end the history that the others see.
 */
function keepFitting(variables: VariableValues, before: VariableValues): VariableValues {
  if (variables === before) return before;
  let excess = sizeOfValues(variables) - variableTextLimit;
  if (excess <= 0) return variables;
  // A record of an earlier version may have more already: it may go on, but not grow.
  excess -= Math.max(0, sizeOfValues(before) - variableTextLimit);
  const set = Object.entries(variables).filter(([name, value]) => before[name] !== value);
  const left = new Map(Object.entries(variables));
  for (const [name, value] of set.toSorted((one, other) => lengthOf(other[1]) - lengthOf(one[1]))) {
    if (excess <= 0 || lengthOf(value) < leastLeftOut) break;
    left.delete(name);
    excess -= lengthOf(value);
  }
  return Object.fromEntries(left);
}

/** The permit's signer and submitter. Without a permit the sender is both, if it called the agreement itself. */
function accountsOf(
  input: IndexedInput,
  agreement: Hex,
): { signer: Address | null; submitter: Address | null } {
  const sender = input.transactionTo === agreement ? input.transactionFrom : null;
  const signer = input.permitSigner ?? sender;
  const submitter = input.permitSubmitter ?? sender;
  return { signer: signer && getAddress(signer), submitter: submitter && getAddress(submitter) };
}

/** The characters of an input's payload and values. Data fields may share bytes, so values may be longer than the payload. */
export function sizeOfInput({ payload, values }: Pick<MinedInput, 'payload' | 'values'>): number {
  return payload.length + sizeOfValues(values);
}

/** The characters of all texts together. */
export function sizeOfValues(values: VariableValues): number {
  let size = 0;
  for (const value of Object.values(values)) size += lengthOf(value);
  return size;
}

function lengthOf(value: VariableValues[string]): number {
  return typeof value === 'string' ? value.length : 0;
}
