import fc from 'fast-check';
import { getAddress, type Hex, hashTypedData, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { hashPermit } from '../../../src/api/agreements/hashPermit.ts';
import { inputTypedData } from '../../../src/protocol/index.ts';

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
