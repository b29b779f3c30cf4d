import { type Address, type Hex, toFunctionSelector } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { EngineParameters } from '../../../src/protocol/index.ts';

/** A creation, and inputs submitted one after another. */
export type ModelCase = {
  readonly parameters: EngineParameters & { readonly owner: Address };
  readonly steps: readonly Step[];
};

export type Step = {
  readonly inputId: Hex;
  readonly payload: Hex;
  readonly sender: Address;
  /**
   * Signed by this actor. The nonce is the engine's expected nonce plus the offset, and the deadline is this
   * many seconds after the block's time.
   */
  readonly permit?: { readonly signer: number; readonly nonceOffset: number; readonly secondsLeft: number };
};

const privateKeys = ['11', '22', '33', '44'].map((byte): Hex => `0x${byte.repeat(32)}`);

/** Accounts that can sign. */
export const actors = privateKeys.map((privateKey) => ({
  privateKey,
  address: privateKeyToAddress(privateKey),
}));

/** The actor with this number. @throws Error if there is none. */
export function actorAt(index: number): (typeof actors)[number] {
  const actor = actors[index];
  if (actor === undefined) throw new Error(`there is no actor ${index}`);
  return actor;
}

/** A call from an agreement to another contract. */
export type OutsideCall = { readonly data: Hex; readonly value: bigint; readonly isStatic: boolean };

/**
 * A contract outside the engine: its code, unless it stands on the chain already, and its revert data; null if it
 * does not revert.
 */
export type OutsideContract = { readonly code?: Hex; answer(call: OutsideCall): Hex | null };

export const factory: Address = '0x76dAA59C02d902e7063E6328D2E64ACee6CC121e';
export const implementation: Address = '0x1c2961AC5e2fBE47b3C0654d7dF543dB04F031A6';

/** The funds of every agreement, in wei. */
export const funds = 1_000n;

export const submission = toFunctionSelector('submitInput(bytes32,bytes)');
export const stateRead = toFunctionSelector('currentState()');
const notInitialized = toFunctionSelector('NotInitialized()');
const reentrantCall = toFunctionSelector('ReentrancyGuardReentrantCall()');

/** The contracts outside the engine, by address. */
export const outside: ReadonlyMap<Address, OutsideContract> = new Map<Address, OutsideContract>([
  ['0x00000000000000000000000000000000000a0001', { code: '0x00', answer: () => null }],
  ['0x00000000000000000000000000000000000a0002', { code: '0x5f5ffd', answer: () => '0x' }],
  // Reverts with the four bytes 01020304.
  [
    '0x00000000000000000000000000000000000a0003',
    { code: '0x63010203045f526004601cfd', answer: () => '0x01020304' },
  ],
  // The protocol itself, which has none of the functions that actions and verifiers call here.
  [factory, { answer: () => '0x' }],
  [implementation, { answer: answerUninitialized }],
  // Returns a word of ones.
  ['0x00000000000000000000000000000000000a0005', { code: '0x5f195f5260205ff3', answer: () => null }],
  // Uses up its gas.
  ['0x00000000000000000000000000000000000a0006', { code: '0xfe', answer: () => '0x' }],
  // Stores something, which no static call may.
  [
    '0x00000000000000000000000000000000000a0007',
    { code: '0x60015f5500', answer: ({ isStatic }) => (isStatic ? '0x' : null) },
  ],
  // Reverts with the data that it is called with.
  ['0x00000000000000000000000000000000000a0008', { code: '0x365f5f37365ffd', answer: ({ data }) => data }],
  // Calls the agreement back with the data that it is called with, and reverts as that call does.
  [
    '0x00000000000000000000000000000000000a0009',
    { code: '0x365f5f375f5f365f5f335af13d5f5f3e6016573d5ffd5b00', answer: answerCallback },
  ],
]);

function answerUninitialized({ data, value }: OutsideCall): Hex | null {
  // None of its functions takes funds.
  if (value > 0n) return '0x';
  if (data === stateRead) return null;
  return data.startsWith(submission) ? notInitialized : '0x';
}

function answerCallback({ data }: OutsideCall): Hex | null {
  if (data === stateRead) return null;
  return data.startsWith(submission) ? reentrantCall : '0x';
}

/** An address without code. */
export const emptyAddress: Address = '0x00000000000000000000000000000000000a0004';
/** A precompiled contract, which has no code and takes any data. */
export const precompiled: Address = '0x0000000000000000000000000000000000000004';
