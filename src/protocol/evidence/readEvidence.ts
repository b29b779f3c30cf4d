import type { Hex } from 'viem';
import { isJsonObject } from '../jsonCursor.ts';
import type { WireValue } from '../values.ts';
import {
  type EvidenceBlock,
  type EvidenceDeployment,
  type EvidenceFile,
  type EvidenceInput,
  type EvidencePermit,
  type EvidenceState,
  type EvidenceTransaction,
  type EvidenceTypedData,
  evidenceFormat,
  evidenceNotes,
  type StorageProof,
} from './evidenceFile.ts';
import { refuse } from './refusal.ts';

/** Larger files are refused unread: 64 MiB hold more than 4,000 inputs. */
export const mostEvidenceBytes = 64 * 1024 * 1024;
const mostItems = 100_000;
const mostText = 1_048_576;

/**
 * Reads a file: its one canonical text, each object with exactly its keys in order, all hex in lower case.
 *
 * @throws EvidenceRefusal `too_large`, `not_json`, `not_canonical` or `bad_format`.
 */
export function readEvidence(file: string | Uint8Array): EvidenceFile {
  const size = typeof file === 'string' ? file.length : file.byteLength;
  if (size > mostEvidenceBytes) refuse('too_large', '', 'The file is larger than 64 MiB.');
  const text = typeof file === 'string' ? file : decodeText(file);
  const value = parse(text);
  const evidence = readFile(value, '');
  // Detects repeated keys, other spellings of numbers and texts, and space between tokens.
  if (`${JSON.stringify(value)}\n` !== text)
    refuse('not_canonical', '', 'The file is not in its canonical form: it was changed or re-formatted.');
  return evidence;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse('not_json', '', 'The file is not UTF-8 text.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('not_json', '', 'The file is not JSON.');
  }
}

type Reader<Value> = (value: unknown, path: string) => Value;

function bad(path: string, expected: string): never {
  return refuse('bad_format', path, `${path || 'The file'} must be ${expected}.`);
}

/**
 * An object with exactly these keys in this order. Any other key would be shown to people without being
 * checked.
 */
function objectOf<Shape extends Record<string, Reader<unknown>>>(
  shape: Shape,
): Reader<{ [Key in keyof Shape]: ReturnType<Shape[Key]> }> {
  const names = Object.keys(shape);
  return (value, path) => {
    if (!isJsonObject(value)) bad(path, 'an object');
    const found = Object.keys(value);
    if (found.length !== names.length || found.some((key, at) => key !== names[at]))
      bad(path, `an object with the keys ${names.join(', ')}`);
    const entries = Object.entries(shape).map(([key, read]) => [key, read(value[key], join(path, key))]);
    return Object.fromEntries(entries) as { [Key in keyof Shape]: ReturnType<Shape[Key]> };
  };
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function listOf<Item>(read: Reader<Item>): Reader<readonly Item[]> {
  return (value, path) => {
    if (!Array.isArray(value) || value.length > mostItems) bad(path, 'a list of at most 100,000 items');
    return value.map((item: unknown, at) => read(item, `${path}[${at}]`));
  };
}

function orNull<Value>(read: Reader<Value>): Reader<Value | null> {
  return (value, path) => (value === null ? null : read(value, path));
}

/** Half a pair of surrogates would have the bytes of U+FFFD on the chain: one history would have several files. */
const text: Reader<string> = (value, path) =>
  typeof value === 'string' && value.length <= mostText && value.isWellFormed()
    ? value
    : bad(path, 'a well-formed text of at most 1,048,576 characters');

const count: Reader<number> = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)
    ? value
    : bad(path, 'a whole number');

const decimal: Reader<string> = (value, path) =>
  typeof value === 'string' && /^(0|[1-9]\d{0,77})$/.test(value) && BigInt(value) < 2n ** 256n
    ? value
    : bad(path, 'a decimal number below 2^256 as text');

const instant: Reader<string> = (value, path) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
    ? value
    : bad(path, 'a time in UTC');

function hexOf(bytes: number): Reader<Hex> {
  const pattern = new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`);
  return (value, path) =>
    typeof value === 'string' && pattern.test(value)
      ? `0x${value.slice(2)}`
      : bad(path, `0x and ${bytes * 2} lower-case hex digits`);
}
const word = hexOf(32);
const address = hexOf(20);

const hex: Reader<Hex> = (value, path) =>
  typeof value === 'string' && value.length % 2 === 0 && /^0x[0-9a-f]*$/.test(value)
    ? `0x${value.slice(2)}`
    : bad(path, '0x and lower-case hex digits');

const wireValue: Reader<WireValue> = (value, path) =>
  typeof value === 'boolean' ? value : text(value, path);

/** An object whose keys are names. */
function mapOf<Value>(read: Reader<Value>): Reader<Readonly<Record<string, Value>>> {
  return (value, path) => {
    if (!isJsonObject(value)) bad(path, 'an object');
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, read(item, join(path, key))]));
  };
}

const v: Reader<number> = (value, path) => (value === 27 || value === 28 ? value : bad(path, '27 or 28'));

const typedData: Reader<EvidenceTypedData> = objectOf({
  domain: objectOf({ name: text, version: text, chainId: count, verifyingContract: address }),
  primaryType: text,
  types: mapOf(listOf(objectOf({ name: text, type: text }))),
  message: mapOf(text),
});

const permit: Reader<EvidencePermit> = objectOf({
  signer: address,
  nonce: decimal,
  deadline: decimal,
  v,
  r: word,
  s: word,
  typedData,
});

const block: Reader<EvidenceBlock> = objectOf({
  number: count,
  hash: word,
  timestamp: count,
  header: orNull(hex),
});

const transaction: Reader<EvidenceTransaction> = objectOf({
  block: count,
  index: count,
  hash: word,
  raw: hex,
  proof: orNull(listOf(hex)),
  receipt: hex,
  receiptProof: orNull(listOf(hex)),
});

const deployment: Reader<EvidenceDeployment> = objectOf({
  transaction: count,
  log: count,
  permit: orNull(permit),
});

const input: Reader<EvidenceInput> = objectOf({
  transaction: count,
  log: count,
  inputId: word,
  fromState: word,
  toState: word,
  payload: hex,
  permit: orNull(permit),
});

const storage: Reader<StorageProof> = objectOf({ of: text, value: word, proof: listOf(hex) });

const state: Reader<EvidenceState> = objectOf({
  block: count,
  layout: objectOf({ docHash: word, initialState: word, currentState: word, nonces: word }),
  accountProof: listOf(hex),
  storage: listOf(storage),
});

const readFile: Reader<EvidenceFile> = objectOf({
  format: (value, path): typeof evidenceFormat =>
    value === evidenceFormat ? value : bad(path, evidenceFormat),
  made: objectOf({ at: instant, by: text, software: text }),
  chain: objectOf({ chainId: count, factory: address, implementation: address }),
  agreement: objectOf({
    address,
    owner: address,
    docUri: text,
    docHash: word,
    initialState: word,
    currentState: word,
    inputCount: count,
  }),
  document: objectOf({ text, values: listOf(objectOf({ name: text, value: wireValue })) }),
  notes: listOf((value, path) => evidenceNotes.find((note) => note === value) ?? bad(path, 'a known note')),
  blocks: listOf(block),
  transactions: listOf(transaction),
  deployment,
  inputs: listOf(input),
  state: orNull(state),
});
