import { hashTypedData } from 'viem';
import { expect, test } from 'vitest';
import { pingPong } from '../../../bench/pingPong.ts';
import type { SignableTypedData } from '../../../client/src/types.ts';
import { checkInput } from '../../../console/src/wallet/signing.ts';
import { encodeInputPayload, inputTypedData, nameHash } from '../../../src/protocol/index.ts';

const facts = {
  chainId: 59141,
  agreementAddress: '0x000000000000000000000000000000000000dEaD',
  json: pingPong,
  inputId: 'hit',
  values: { note: 'x' },
} as const;

/** The typed data of an honest service, with this deadline. */
function offer(deadline: number): SignableTypedData {
  const { chainId, agreementAddress, json, inputId, values } = facts;
  const typedData = inputTypedData({
    chainId,
    agreementAddress,
    inputId: nameHash(inputId),
    payload: encodeInputPayload(json, inputId, values),
    nonce: 0n,
    deadline: BigInt(deadline),
  });
  const text = JSON.stringify(
    { ...typedData, digest: hashTypedData(typedData), nonce: '0', deadline },
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
  );
  return JSON.parse(text);
}

test('a page signs with a deadline of this day, and names a later one as what differs', () => {
  const now = Math.floor(Date.now() / 1_000);
  expect(checkInput(facts, offer(now + 3_600)).differences).toEqual([]);
  expect(checkInput(facts, offer(now + 604_800)).differences).toEqual(['message.deadline']);
});
