import { type Address, checksumAddress } from 'viem';
import { isTextType } from './fieldType.ts';
import { FieldType } from './onChain.ts';
import { parseUint256 } from './uint256.ts';

/** A value in the service's JSON: uint256 as decimal text, bool as a boolean, everything else as text. */
export type WireValue = string | boolean;
export type WireValues = { readonly [name: string]: WireValue };

/** The on-chain type of a value, and its authored type name (if any). */
export type ValueType = { readonly fType: FieldType; readonly declaredType: string | undefined };

export type ParsedValue =
  | { readonly ok: true; readonly value: WireValue }
  | { readonly ok: false; readonly message: string };

/**
 * Checks a caller's value against its type and returns its wire form: uint256 from a decimal or 0x text or a
 * safe integer, bool also from its text, addresses all in lower case or with a correct checksum, bytes32 as
 * 0x and 64 hex digits, text unchanged. If the declared type is not a pure text type, a number or boolean
 * counts as its text.
 */
export function parseValue(value: unknown, type: ValueType): ParsedValue {
  switch (type.fType) {
    case FieldType.UINT256:
      return found(
        parseUint256(value)?.toString(),
        'must be a whole number from 0 to 2^256 - 1, as decimal or 0x text or a safe integer',
      );
    case FieldType.BOOL:
      return found(parseBool(value), 'must be true or false');
    case FieldType.ADDRESS:
      return found(parseAddress(value), 'must be an address in lower case or with a valid checksum');
    case FieldType.BYTES32:
      return found(parseBytes32(value), 'must be 0x and 64 hex digits');
    case FieldType.STRING:
      return found(parseText(value, type.declaredType), 'must be text');
  }
}

/** The checksummed address, if the text is an address in lower case or with a correct checksum. */
export function parseAddress(value: unknown): Address | undefined {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) return undefined;
  const checksummed = checksumAddress(`0x${value.slice(2)}`);
  return value === checksummed || value === value.toLowerCase() ? checksummed : undefined;
}

/** True for true and "true", false for false and "false". */
export function parseBool(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

function parseBytes32(value: unknown): string | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value) ? value.toLowerCase() : undefined;
}

function parseText(value: unknown, declaredType: string | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (isTextType(declaredType)) return undefined;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function found(value: WireValue | undefined, message: string): ParsedValue {
  return value === undefined ? { ok: false, message } : { ok: true, value };
}
