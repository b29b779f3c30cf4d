import type { Hex } from 'viem';
import { AbiWriter } from './abiWriter.ts';
import { bytesToHex, hexToBytes, isHexBytes } from './hex.ts';
import { isJsonObject } from './jsonCursor.ts';
import { keccak256Text } from './keccak.ts';
import { toUtf8 } from './utf8.ts';
import { parseAddress } from './values.ts';

/** A function of a JSON ABI: its name and its parameters' types, as spelled in the ABI. */
export type CallableFunction = { readonly name: string; readonly types: readonly string[] };

/** A value that may become an argument. */
export type Scalar = string | number | boolean | bigint;

/** An argument that fits its type: one word, or the content of a byte string. */
export type CallArgument = { readonly word: bigint } | { readonly content: Uint8Array };

/** The functions of that name in a JSON ABI, in order; a parameter without a type has the empty type. */
export function listFunctions(abi: readonly unknown[], name: string): CallableFunction[] {
  const items = abi.filter(isJsonObject).filter((item) => item.type === 'function' && item.name === name);
  return items.map(({ inputs }) => ({ name, types: Array.isArray(inputs) ? inputs.map(typeOf) : [] }));
}

/**
 * Converts a value as the signing library does for a parameter of this type: a bool is true for true and
 * "true" and otherwise false, an integer is read from text, everything else is unchanged. Undefined for a
 * text that is not an integer.
 */
export function coerceArgument(type: string, value: Scalar): Scalar | undefined {
  if (type === 'bool') return value === true || value === 'true';
  return /^u?int/.test(type) ? parseInteger(value) : value;
}

/**
 * Chooses between functions with as many parameters as there are values: the last one whose types fit the
 * values, as viem's `encodeFunctionData` does; the first one if none fits. Undefined if viem would call two
 * fitting ones ambiguous.
 */
export function chooseFunction(
  functions: readonly [CallableFunction, ...CallableFunction[]],
  values: readonly Scalar[],
): CallableFunction | undefined {
  const [first, ...others] = functions;
  if (others.length === 0) return first;
  let chosen: CallableFunction | undefined;
  for (const candidate of functions) {
    if (!candidate.types.every((type, at) => fits(values[at], type))) continue;
    if (chosen && isAmbiguous({ one: chosen, other: candidate, values })) return undefined;
    chosen = candidate;
  }
  return chosen ?? first;
}

/**
 * A value as an argument of an ABI type: addresses with a correct checksum or in lower case, bytes from hex,
 * integers within their width. Undefined if the value does not fit, and for arrays and structs, which a text
 * cannot express.
 */
export function parseArgument(type: string, value: Scalar): CallArgument | undefined {
  if (type === 'bool') return { word: value === true ? 1n : 0n };
  if (type === 'address') return word(parseAddress(value));
  if (type === 'string') return { content: toUtf8(String(value)) };
  if (widthOf(type) !== undefined) return encodeInteger(type, value);
  const [, size] = /^bytes(\d{0,2})$/.exec(type) ?? [];
  return size === undefined ? undefined : parseBytes(value, size);
}

/** Call data: the function's selector and its arguments' ABI encoding. */
export function encodeCall({ name, types }: CallableFunction, args: readonly CallArgument[]): Hex {
  const writer = new AbiWriter();
  writer.struct((tail) => {
    for (const arg of args) {
      if ('word' in arg) writer.uint(arg.word);
      else tail(() => writer.byteString(arg.content));
    }
  });
  const selector = keccak256Text(`${name}(${types.join(',')})`).slice(0, 10);
  return `0x${selector.slice(2)}${bytesToHex(writer.bytes).slice(2)}`;
}

function typeOf(input: unknown): string {
  return isJsonObject(input) && typeof input.type === 'string' ? input.type : '';
}

/** Whether viem accepts the value for that type. */
function fits(value: Scalar | undefined, type: string): boolean {
  if (type === 'address') return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value);
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'string' || /^bytes([1-9]|[12]\d|3[0-2])?$/.test(type)) return typeof value === 'string';
  return widthOf(type) !== undefined && (typeof value === 'bigint' || typeof value === 'number');
}

type Overloads = {
  readonly one: CallableFunction;
  readonly other: CallableFunction;
  readonly values: readonly Scalar[];
};

function isAmbiguous({ one, other, values }: Overloads): boolean {
  return one.types.some((type, at) => {
    const pair = [type, other.types[at]];
    if (!pair.includes('address')) return false;
    return (
      pair.includes('bytes20') ||
      (pair.some((name) => name === 'string' || name === 'bytes') && fits(values[at], 'address'))
    );
  });
}

function word(hex: Hex | undefined): CallArgument | undefined {
  return hex && { word: BigInt(hex) };
}

/** Longer texts hold no integer that fits, except with leading zeros. */
const maxIntegerText = 256;

/** An integer, from any text that ECMAScript reads as one. */
function parseInteger(value: Scalar): bigint | undefined {
  if (typeof value === 'string' && value.length > maxIntegerText) return undefined;
  try {
    return BigInt(value);
  } catch {
    return undefined;
  }
}

/** Bits of an integer type; 256 if absent. */
function widthOf(type: string): number | undefined {
  const [, digits] = /^u?int(\d{0,3})$/.exec(type) ?? [];
  const bits = digits === '' ? 256 : Number(digits);
  return bits >= 8 && bits <= 256 && bits % 8 === 0 ? bits : undefined;
}

function encodeInteger(type: string, value: Scalar): CallArgument | undefined {
  const bits = widthOf(type);
  if (bits === undefined || typeof value !== 'bigint') return undefined;
  const wrapped = type.startsWith('int') ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  return wrapped === value ? { word: BigInt.asUintN(256, value) } : undefined;
}

/**
 * `size` is empty for `bytes`, otherwise the N of `bytesN`, which takes exactly N bytes and is padded on the
 * right.
 */
function parseBytes(value: Scalar, size: string): CallArgument | undefined {
  if (typeof value !== 'string' || !isHexBytes(value)) return undefined;
  if (size === '') return { content: hexToBytes(value) };
  const digits = value.slice(2);
  const fits = digits.length > 0 && digits.length <= 64 && digits.length === Number(size) * 2;
  return fits ? { word: BigInt(`0x${digits.padEnd(64, '0')}`) } : undefined;
}
