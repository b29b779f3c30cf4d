import { hashTypedData, keccak256, stringToBytes } from 'viem';
import { expect, test } from 'vitest';
import { compileAgreement, deployTypedData, inputTypedData, nameHash } from '../../../src/protocol/index.ts';
import { alice, buildDocument, someHash } from './documents.ts';

const input = { chainId: 84532, agreementAddress: alice, payload: '0x', nonce: 0n, deadline: 1n } as const;

test('an input is named by its text or by its hash', () => {
  const named = inputTypedData({ ...input, inputId: 'go' });
  expect(named.message.inputId).toBe(keccak256(stringToBytes('go')));
  expect(inputTypedData({ ...input, inputId: nameHash('go') })).toEqual(named);
});

test('a text that merely resembles a hash is a name', () => {
  for (const inputId of [someHash.toUpperCase(), someHash.slice(2), `${someHash}0`]) {
    expect(inputTypedData({ ...input, inputId }).message.inputId).toBe(nameHash(inputId));
  }
});

test('every signed value changes the digest of a deployment', () => {
  const parameters = compileAgreement(buildDocument());
  const permit = { chainId: 84532, factory: alice, parameters, nonce: 0n, deadline: 1n } as const;
  const changed = [
    permit,
    { ...permit, chainId: 8453 },
    { ...permit, factory: '0xE1FCbC939Ef52E7e24Bf558175f4Dc0959755EB5' } as const,
    { ...permit, nonce: 1n },
    { ...permit, deadline: 2n },
    { ...permit, parameters: { ...parameters, docUri: '' } },
    { ...permit, parameters: { ...parameters, docHash: someHash } },
    { ...permit, parameters: { ...parameters, initialState: someHash } },
    { ...permit, parameters: { ...parameters, inputDefs: [] } },
    { ...permit, parameters: { ...parameters, transitions: [] } },
    { ...permit, parameters: { ...parameters, initVars: [{ id: someHash, fType: 4, data: someHash }] } },
    { ...permit, parameters: { ...parameters, verifiers: [{ key: someHash, verifier: alice } as const] } },
    {
      ...permit,
      parameters: {
        ...parameters,
        actions: [{ fromState: someHash, inputId: someHash, target: alice, value: 0n, data: '0x' } as const],
      },
    },
  ];
  const digests = new Set(changed.map((message) => hashTypedData(deployTypedData(message))));
  expect(digests.size).toBe(changed.length);
});
