import { type Address, getAddress, type Hex } from 'viem';
import { AbiWriter } from '../abiWriter.ts';
import { bytesToHex } from '../hex.ts';

/** Every error that the engine can revert with, including at creation: its selector and its argument types. */
const errors = {
  Error: { selector: '08c379a0', types: ['string'] },
  Panic: { selector: '4e487b71', types: ['uint256'] },
  OwnerZero: { selector: '3e0b457e', types: [] },
  VerifierZero: { selector: '44e86918', types: [] },
  DuplicateVerifier: { selector: '7d011822', types: ['bytes32'] },
  UnknownVerifier: { selector: '0066328a', types: ['bytes32'] },
  ActionTargetZero: { selector: 'ff99e353', types: [] },
  PermitExpired: { selector: '9e96b26f', types: ['uint256'] },
  InvalidSignature: { selector: '8baa579f', types: [] },
  ComparisonFailed: { selector: 'b3a628f4', types: ['string', 'string'] },
  TypeMismatch: { selector: 'b02cf71d', types: ['string', 'string'] },
  VarNotSet: { selector: 'daa5c21a', types: ['bytes32'] },
  SenderAddressMismatch: { selector: '1ba2e7b8', types: ['address', 'address'] },
  SenderAddressNotAllowed: { selector: '68005004', types: ['address'] },
} as const;

type Errors = typeof errors;
type ArgumentByType = { string: string; uint256: bigint; bytes32: Hex; address: Address };
type Arguments<Types extends readonly (keyof ArgumentByType)[]> = {
  readonly [Index in keyof Types]: ArgumentByType[Types[Index]];
};

/**
 * The contract's revert: an error and its arguments, addresses with their checksum. `Error` has a reason as
 * text; `Panic` is the compiler's own check. An empty name means a revert without data.
 */
export type Revert =
  | { readonly name: ''; readonly args: readonly [] }
  | {
      [Name in keyof Errors]: { readonly name: Name; readonly args: Arguments<Errors[Name]['types']> };
    }[keyof Errors];

/** Thrown inside the model when the contract would revert, and by `createEngine` to its caller. */
export class EngineRevert extends Error {
  readonly revert: Revert;

  constructor(revert: Revert) {
    super('The contract would revert.');
    this.name = 'EngineRevert';
    this.revert = revert;
  }
}

/** A revert without data, as by Solidity's decoder. */
export function refuseBytes(): never {
  throw new EngineRevert({ name: '', args: [] });
}

/** A revert with a reason as text. */
export function refuseFor(reason: string): never {
  throw new EngineRevert({ name: 'Error', args: [reason] });
}

/** Solidity's panic 0x41: the requested memory cannot be addressed. */
export function panicOfMemory(): never {
  throw new EngineRevert({ name: 'Panic', args: [0x41n] });
}

/** An address in the form that errors carry. */
export function shownAddress(address: string): Address {
  return getAddress(address);
}

/** The exact bytes of the contract's revert. */
export function encodeRevert(revert: Revert): Hex {
  if (revert.name === '') return '0x';
  const { selector, types } = errors[revert.name];
  const args: readonly (string | bigint)[] = revert.args;
  const writer = new AbiWriter();
  writer.struct((tail) => {
    for (const [index, type] of types.entries()) {
      const argument = args[index] ?? '';
      if (type === 'string') tail(() => writer.byteString(new TextEncoder().encode(String(argument))));
      else if (type === 'uint256') writer.uint(BigInt(argument));
      else writer.word(`0x${String(argument).slice(2).toLowerCase()}`);
    }
  });
  return `0x${selector}${bytesToHex(writer.bytes).slice(2)}`;
}
