import type { Hex } from 'viem';
import { AbiWriter } from './abiWriter.ts';
import { bytesToHex, hexToBytes, isHexBytes } from './hex.ts';
import { isJsonObject } from './jsonCursor.ts';
import { keccak256Text } from './keccak.ts';
import { parseAddress } from './values.ts';

/** A function of a JSON ABI: its name and the canonical types of its parameters. */
export type CallableFunction = { readonly name: string; readonly types: readonly string[] };

/** An argument that fits its type: one word, or the content of a byte string. */
export type CallArgument = { readonly word: bigint } | { readonly content: Uint8Array };

/** The first function of that name in a JSON ABI, or undefined; a parameter without a type has the empty one. */
export function findFunction(abi: readonly unknown[], name: string): CallableFunction | undefined {
  const item = abi.find((entry) => isJsonObject(entry) && entry.type === 'function' && entry.name === name);
  if (!isJsonObject(item)) return undefined;
  const inputs = Array.isArray(item.inputs) ? item.inputs : [];
  return { name, types: inputs.map((input) => canonicalType(isJsonObject(input) ? input.type : undefined)) };
}

/**
 * A text as an argument of an ABI type: integers from decimal or 0x text, a bool is true for "true" and else false, addresses
 * with a correct checksum or in lower case, bytes from hex. Arrays and structs cannot be written as a text: undefined, as
 * everywhere that the value does not fit.
 */
export function parseArgument(type: string, value: unknown): CallArgument | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  if (type === 'bool') return { word: value === true || value === 'true' ? 1n : 0n };
  if (type === 'address') return word(parseAddress(value));
  if (type === 'string') return { content: utf8.encode(String(value)) };
  const [, family, size = ''] = /^(u?int|bytes)(\d{0,3})$/.exec(type) ?? [];
  if (family === 'bytes') return parseBytes(value, size);
  return family === undefined
    ? undefined
    : parseInteger({ value, bits: Number(size), signed: family === 'int' });
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

const utf8 = new TextEncoder();

/** `uint` and `int` are short for their widest form, which is the one that selectors are made of. */
function canonicalType(type: unknown): string {
  return typeof type === 'string' ? type.replace(/^(u?int)(?=\[|$)/, '$1256') : '';
}

function word(hex: Hex | undefined): CallArgument | undefined {
  return hex && { word: BigInt(hex) };
}

type Scalar = string | number | boolean;

function parseInteger({
  value,
  bits,
  signed,
}: {
  value: Scalar;
  bits: number;
  signed: boolean;
}): CallArgument | undefined {
  const isWidth = bits >= 8 && bits <= 256 && bits % 8 === 0;
  const text = typeof value === 'number' && !Number.isSafeInteger(value) ? '' : String(value);
  if (!isWidth || !/^(-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(text)) return undefined;
  const integer = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
  const wrapped = signed ? BigInt.asIntN(bits, integer) : BigInt.asUintN(bits, integer);
  return wrapped === integer ? { word: BigInt.asUintN(256, integer) } : undefined;
}

/** `size` is empty for `bytes`, else the N of `bytesN`, which takes exactly that many and is filled up on the right. */
function parseBytes(value: Scalar, size: string): CallArgument | undefined {
  if (typeof value !== 'string' || !isHexBytes(value)) return undefined;
  if (size === '') return { content: hexToBytes(value) };
  const digits = value.slice(2);
  const fits = digits.length > 0 && digits.length <= 64 && digits.length === Number(size) * 2;
  return fits ? { word: BigInt(`0x${digits.padEnd(64, '0')}`) } : undefined;
}
