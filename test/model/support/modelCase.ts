import type { Address, Hex } from 'viem';
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

/** The contracts outside the engine, by address: their code, and their revert data if they revert. */
export const outside: ReadonlyMap<Address, { code: Hex; revertData?: Hex }> = new Map([
  ['0x00000000000000000000000000000000000a0001', { code: '0x00' }],
  ['0x00000000000000000000000000000000000a0002', { code: '0x5f5ffd', revertData: '0x' }],
  // Reverts with the four bytes 01020304.
  [
    '0x00000000000000000000000000000000000a0003',
    { code: '0x63010203045f526004601cfd', revertData: '0x01020304' },
  ],
]);

/** An address without code. */
export const emptyAddress: Address = '0x00000000000000000000000000000000000a0004';
