import { type Address, type Hex, hashTypedData, recoverTypedDataAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { AgreementsClient } from '../../../client/src/index.ts';
import { signInput, TypedDataMismatchError } from '../../../client/src/viem/index.ts';
import { encodeInputPayload } from '../../../src/protocol/encodePayload.ts';
import { nameHash } from '../../../src/protocol/names.ts';
import { inputTypedData } from '../../../src/protocol/typedData.ts';

type Place = { readonly chainId: number; readonly address: Address };

const named: Place = { chainId: 59141, address: '0x00000000000000000000000000000000000000a1' };
const otherContract: Place = { ...named, address: '0x00000000000000000000000000000000000000b2' };
const otherChain: Place = { ...named, chainId: 59144 };

const account = privateKeyToAccount(generatePrivateKey());
const json = { variables: {}, execution: { inputs: { approve: { data: {} } } } };
const deadline = Math.floor(Date.now() / 1_000) + 3_600;

function approvalAt({ chainId, address: agreementAddress }: Place) {
  const payload = encodeInputPayload(json, 'approve', {});
  const inputId = nameHash('approve');
  return inputTypedData({
    chainId,
    agreementAddress,
    inputId,
    payload,
    nonce: 0n,
    deadline: BigInt(deadline),
  });
}

/** A service that answers with the record of one place, and offers typed data whose domain names another. */
function createService({ record, domain, digest }: { record: Place; domain: Place; digest: Place }) {
  const offered = {
    ...approvalAt(domain),
    message: {
      inputId: nameHash('approve'),
      payload: encodeInputPayload(json, 'approve', {}),
      nonce: '0',
      deadline,
    },
    nonce: '0',
    deadline,
    digest: hashTypedData(approvalAt(digest)),
    verdict: { ok: true, message: 'It would be accepted.' },
  };
  return new AgreementsClient({
    baseUrl: 'http://127.0.0.1:9',
    fetch: async (url) => {
      const data = String(url).includes('typed-data')
        ? offered
        : { id: 'agr_1', ...record, json, onChain: {} };
      return Response.json({ data, meta: { apiVersion: '0', requestId: 'req_1' } });
    },
  });
}

/** The address as people write it. */
const spellings = [
  ['in lower case', named.address],
  ['in upper case', `0x${named.address.slice(2).toUpperCase()}`],
] as const;

describe.each(spellings)('the caller names the contract %s and the chain', (_, agreementId) => {
  const input = { account, agreementId, chainId: named.chainId, inputId: 'approve' };

  test.each([
    ['contract', otherContract],
    ['chain', otherChain],
  ])(
    'nothing is signed for the %s of a wrong record, whatever the offered domain says',
    async (_, record) => {
      for (const domain of [named, record]) {
        const client = createService({ record, domain, digest: record });
        await expect(signInput({ ...input, client })).rejects.toBeInstanceOf(TypedDataMismatchError);
      }
    },
  );

  test('the signature is for what was named if the service offers that beside a wrong record', async () => {
    for (const record of [otherContract, otherChain]) {
      const client = createService({ record, domain: named, digest: named });
      const { body, digest } = await signInput({ ...input, client });
      const { v, r, s } = body.signature;
      const signature: Hex = `0x${r.slice(2)}${s.slice(2)}${v.toString(16)}`;
      expect(digest).toBe(hashTypedData(approvalAt(named)));
      expect(await recoverTypedDataAddress({ ...approvalAt(named), signature })).toBe(account.address);
    }
  });
});

test('a record that is named by its id tells the contract and the chain', async () => {
  const client = createService({ record: otherChain, domain: otherChain, digest: otherChain });
  const { digest } = await signInput({ client, account, agreementId: 'agr_1', inputId: 'approve' });
  expect(digest).toBe(hashTypedData(approvalAt(otherChain)));
});
