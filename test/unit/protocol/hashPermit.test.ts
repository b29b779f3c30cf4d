import fc from 'fast-check';
import {
  getAddress,
  type Hex,
  hashTypedData,
  numberToHex,
  type TypedDataDefinition,
  zeroAddress,
  zeroHash,
} from 'viem';
import { expect, test } from 'vitest';
import { hashPermit } from '../../../src/protocol/hashPermit.ts';
import { deployTypedData, inputTypedData } from '../../../src/protocol/index.ts';

const number = (bits: bigint) => fc.bigInt({ min: 0n, max: 2n ** bits - 1n });
const payload = fc
  .uint8Array({ maxLength: 100 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const contract = fc
  .oneof(fc.constantFrom(1n, 2n), number(160n))
  .map((at) => getAddress(numberToHex(at, { size: 20 })));

test('the digest of a permit is the one that wallets sign, also where its contract was met before', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(1, 84_532),
      contract,
      fc.string(),
      payload,
      number(256n),
      number(256n),
      (chainId, agreementAddress, inputId, bytes, nonce, deadline) => {
        const typedData = inputTypedData({
          chainId,
          agreementAddress,
          inputId,
          payload: bytes,
          nonce,
          deadline,
        });
        expect(hashPermit(typedData)).toBe(hashTypedData(typedData));
      },
    ),
  );
});

test('the digest of a deployment is the one that wallets sign', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(number(256n), { minLength: 9, maxLength: 9 }), (docUri, numbers) => {
      const hashes = numbers.map((one) => numberToHex(one, { size: 32 }));
      const { types } = deployTypedData({ ...deployment, parameters: emptyParameters });
      const message = Object.fromEntries(
        types.PermitAgreementWithActions.map(({ name, type }, at) => [
          name,
          type === 'string' ? docUri : type === 'uint256' ? numbers[at - 1] : hashes[at - 1],
        ]),
      );
      const typedData: TypedDataDefinition = {
        ...{ domain: {}, types, primaryType: 'PermitAgreementWithActions' },
        message,
      };
      expect(hashPermit(typedData)).toBe(hashTypedData(typedData));
    }),
  );
});

test('payloads of several permits in turn are told from each other, also those of the same length', () => {
  const build = (payload: Hex, nonce: bigint) =>
    inputTypedData({
      chainId: 1,
      agreementAddress: zeroAddress,
      inputId: 'go',
      payload,
      nonce,
      deadline: 1n,
    });
  for (const nonce of [0n, 1n]) {
    for (const payload of ['0x00', '0x01', '0x00', '0x', '0x01'] as const) {
      const typedData = build(payload, nonce);
      expect(hashPermit(typedData)).toBe(hashTypedData(typedData));
    }
  }
});

test('a message of nested types is refused', () => {
  const types = { Outer: [{ name: 'inner', type: 'Inner' }], Inner: [{ name: 'x', type: 'uint256' }] };
  const typedData = { types, primaryType: 'Outer', message: { inner: { x: 1n } } };
  expect(() => hashPermit(typedData)).toThrow('Inner is not a flat type');
});

const deployment = { chainId: 1, factory: zeroAddress, nonce: 0n, deadline: 0n };
const emptyParameters = {
  ...{ docUri: '', docHash: zeroHash, initialState: zeroHash },
  ...{ inputDefs: [], transitions: [], initVars: [], verifiers: [], actions: [] },
};
