import fc from 'fast-check';
import { decodeAbiParameters, encodeAbiParameters, encodeFunctionData, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { decodeFactoryCall } from '../../../src/protocol/decodeFactoryCall.ts';
import { isBoundedEncoding } from '../../../src/protocol/isBoundedEncoding.ts';

const lists = [
  { type: 'tuple[]', components: [{ type: 'bytes32' }, { type: 'bytes' }, { type: 'bool' }] },
] as const;
const nested = [
  { type: 'string[2][]' },
  { type: 'uint8[3]' },
  { type: 'tuple', components: [{ type: 'bytes[]' }, { type: 'address' }] },
  { type: 'string' },
] as const;
const word = (value: number) => value.toString(16).padStart(64, '0');
const bytes = fc.uint8Array({ maxLength: 100 }).map((list): Hex => `0x${Buffer.from(list).toString('hex')}`);

test('what an encoder has made is bounded', () => {
  const item = fc.tuple(fc.constant(`0x${'1'.repeat(64)}` as const), bytes, fc.boolean());
  fc.assert(
    fc.property(fc.array(item), (list) => {
      expect(isBoundedEncoding(lists, encodeAbiParameters(lists, [list]))).toBe(true);
    }),
  );
  const tuple = fc.tuple(fc.array(bytes), fc.constant(`0x${'1'.repeat(40)}` as const));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string())), tuple, fc.string(), (pairs, pair, text) => {
      expect(isBoundedEncoding(nested, encodeAbiParameters(nested, [pairs, [1, 2, 3], pair, text]))).toBe(
        true,
      );
    }),
  );
});

test('parts that share many bytes are not', () => {
  const count = 100;
  const item = `${'1'.repeat(64)}${word(96)}${word(1)}${word(1_000)}${'ab'.repeat(1_024)}`;
  const encoded: Hex = `0x${word(32)}${word(count)}${word(32 * count).repeat(count)}${item}`;
  expect(decodeAbiParameters(lists, encoded)[0]).toHaveLength(count);
  expect(isBoundedEncoding(lists, encoded)).toBe(false);
});

test('small parts may share bytes, as those of an encoder do that writes equal ones once', () => {
  const encoded: Hex = `0x${word(64).repeat(2)}${word(0)}`;
  const two = [{ type: 'bytes[]' }, { type: 'bytes[]' }] as const;
  expect(decodeAbiParameters(two, encoded)).toEqual([[], []]);
  expect(isBoundedEncoding(two, encoded)).toBe(true);
});

test.each(['bytes4000[]', 'bytes33', 'bytesbytes[]', 'uint', 'word', 'tuple(uint8)'])(
  'no type %s is read',
  (type) => {
    expect(isBoundedEncoding([{ type }], `0x${word(32)}${word(1)}${word(0).repeat(200)}`)).toBe(
      type === 'uint',
    );
  },
);

test('data that point outside are no encoding', () => {
  expect(isBoundedEncoding(lists, `0x${'f'.repeat(64)}`)).toBe(false);
  expect(isBoundedEncoding(lists, '0x')).toBe(false);
});

test('a creation of 90 kB that would decode to more than a hundred megabytes is not decoded', () => {
  const abi = agreementFactoryAbi;
  const hash: Hex = `0x${'1'.repeat(64)}`;
  const args = ['', hash, hash, [], [], [], [], []] as const;
  const whole = encodeFunctionData({ abi, functionName: 'createAgreement', args });
  expect(decodeFactoryCall(whole)?.args).toEqual(args);
  // The variables' pointer is the sixth word. They stand at the end, and all are one and the same.
  const head = whole.slice(0, 10 + 5 * 64);
  const rest = whole.slice(10 + 6 * 64);
  const count = 1_400;
  const length = 45_000;
  const variable = `${'1'.repeat(64)}${word(1)}${word(96)}${word(length)}${'ab'.repeat(length)}`;
  const list = `${word(count)}${word(32 * count).repeat(count)}${variable}`;
  const end = (whole.length - 10) / 2;
  expect(decodeFactoryCall(`${head}${word(end)}${rest}${list}` as Hex)).toBeUndefined();
  const once = `${word(1)}${word(32)}${variable}`;
  expect(decodeFactoryCall(`${head}${word(end)}${rest}${once}` as Hex)?.args[5]).toHaveLength(1);
});
