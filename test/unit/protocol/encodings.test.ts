import fc from 'fast-check';
import {
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
} from 'viem';
import { expect, test } from 'vitest';
import { coerceArgument, encodeCall, parseArgument } from '../../../src/protocol/functionCall.ts';
import {
  encodeDataFields,
  hashActions,
  hashInitVars,
  hashInputDefs,
  hashTransitions,
  hashVerifiers,
} from '../../../src/protocol/index.ts';
import { keccak256Bytes } from '../../../src/protocol/keccak.ts';
import { alice } from './documents.ts';

const hex = (size: { minLength: number; maxLength: number }) =>
  fc.uint8Array(size).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const word = hex({ minLength: 32, maxLength: 32 });
const address = hex({ minLength: 20, maxLength: 20 });
const data = hex({ minLength: 0, maxLength: 100 });
const fType = fc.constantFrom<0 | 1 | 2 | 3 | 4>(0, 1, 2, 3, 4);
const list = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { maxLength: 5 });

const inputDef = fc.record({
  id: word,
  fields: list(fc.record({ fieldId: word, fType, required: fc.boolean(), persist: fc.boolean() })),
  conditions: list(fc.record({ op: fc.nat({ max: 17 }), fieldId: word, bytesArg: data })),
  verifierKeys: list(word),
});
const transition = fc.record({ fromState: word, toState: word, inputId: word });
const dataField = fc.record({ id: word, fType, data });
const verifier = fc.record({ key: word, verifier: address });
const action = fc.record({
  fromState: word,
  inputId: word,
  target: address,
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  data,
});

const structs = {
  inputDefs: parseAbiParameters([
    'InputDef[]',
    'struct InputDef { bytes32 id; Field[] fields; Condition[] conditions; bytes32[] verifierKeys; }',
    'struct Field { bytes32 fieldId; uint8 fType; bool required; bool persist; }',
    'struct Condition { uint8 op; bytes32 fieldId; bytes bytesArg; }',
  ]),
  transitions: parseAbiParameters([
    'Transition[]',
    'struct Transition { bytes32 fromState; bytes32 toState; bytes32 inputId; }',
  ]),
  dataFields: parseAbiParameters([
    'DataField[]',
    'struct DataField { bytes32 id; uint8 fType; bytes data; }',
  ]),
  verifiers: parseAbiParameters(['VerifierInit[]', 'struct VerifierInit { bytes32 key; address verifier; }']),
  actions: parseAbiParameters([
    'ActionInit[]',
    'struct ActionInit { bytes32 fromState; bytes32 inputId; address target; uint256 value; bytes data; }',
  ]),
};

test('keccak256 is viem’s, whatever the length', () => {
  const lengths = [0, 1, 135, 136, 137, 271, 272, 64_463, 64_464, 64_465, 128_928, 200_001];
  for (const length of lengths) {
    const bytes = Uint8Array.from({ length }, (_, at) => at * 31 + length);
    expect(keccak256Bytes(bytes)).toBe(keccak256(bytes));
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => keccak256Bytes(bytes) === keccak256(bytes)),
  );
});

test('input definitions are hashed over viem’s encoding of them', () => {
  const property = fc.property(list(inputDef), (items) => {
    expect(hashInputDefs(items)).toBe(keccak256(encodeAbiParameters(structs.inputDefs, [items])));
  });
  fc.assert(property);
});

test('transitions are hashed over viem’s encoding of them', () => {
  const property = fc.property(list(transition), (items) => {
    expect(hashTransitions(items)).toBe(keccak256(encodeAbiParameters(structs.transitions, [items])));
  });
  fc.assert(property);
});

test('data fields are encoded and hashed as viem encodes them', () => {
  const property = fc.property(list(dataField), (items) => {
    const encoded = encodeAbiParameters(structs.dataFields, [items]);
    expect(encodeDataFields(items)).toBe(encoded);
    expect(hashInitVars(items)).toBe(keccak256(encoded));
  });
  fc.assert(property);
});

test('verifiers are hashed over viem’s encoding of them', () => {
  const property = fc.property(list(verifier), (items) => {
    expect(hashVerifiers(items)).toBe(keccak256(encodeAbiParameters(structs.verifiers, [items])));
  });
  fc.assert(property);
});

test('actions are hashed over viem’s encoding of them', () => {
  const property = fc.property(list(action), (items) => {
    expect(hashActions(items)).toBe(keccak256(encodeAbiParameters(structs.actions, [items])));
  });
  fc.assert(property);
});

test('call data equals viem’s, for every type that a text can express', () => {
  const signature = 'function act(string,bool,int64,bytes,bytes4,bytes32,uint8,address,uint256)';
  const types = ['string', 'bool', 'int64', 'bytes', 'bytes4', 'bytes32', 'uint8', 'address', 'uint256'];
  const property = fc.property(
    fc.string({ unit: 'grapheme' }),
    fc.boolean(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    data,
    hex({ minLength: 4, maxLength: 4 }),
    word,
    fc.nat({ max: 255 }),
    address.map((lower) => getAddress(lower)),
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    (...args) => {
      const parsed = args.map((arg, at) => readArgument(types[at] ?? '', String(arg)));
      const fitting = parsed.filter((arg) => arg !== undefined);
      expect(fitting).toHaveLength(types.length);
      const expected = encodeFunctionData({ abi: parseAbi([signature]), functionName: 'act', args });
      expect(encodeCall({ name: 'act', types }, fitting)).toBe(expected);
    },
  );
  fc.assert(property);
});

test.each([
  ['uint8', '256'],
  ['uint8', '-1'],
  ['uint7', '1'],
  ['uint264', '1'],
  ['uint256', 'one'],
  ['uint256', '1.5'],
  ['uint256', `1${'0'.repeat(78)}`],
  ['int8', '0xff'],
  ['address', alice.replace('9e', '9E')],
  ['bytes', '0x0'],
  ['bytes', '0xzz'],
  ['bytes', 'text'],
  ['bytes4', '0x123456'],
  ['bytes0', '0x'],
  ['bytes33', `0x${'00'.repeat(33)}`],
  ['uint256[]', '[1]'],
  ['tuple', '{}'],
  ['', ''],
])('%s does not take %j', (type, value) => {
  expect(readArgument(type, value)).toBeUndefined();
});

/** Parses a document's text as the argument for a parameter of this type. */
function readArgument(type: string, text: string) {
  const value = coerceArgument(type, text);
  return value === undefined ? undefined : parseArgument(type, value);
}
