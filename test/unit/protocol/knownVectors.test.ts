import { existsSync, readFileSync } from 'node:fs';
import { type Hex, parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  compileAgreement,
  deployTypedData,
  encodeInputPayload,
  inputTypedData,
} from '../../../src/protocol/index.ts';

const hex = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value));
/** Kept as parsed: the order of members and members with unusual names matter. */
const values = z.custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null);
const signature = z.object({ v: z.number(), r: hex, s: hex });
const vector = z.object({
  agreementFile: z.string(),
  chainId: z.number(),
  factory: hex,
  signer: hex,
  initValues: values,
  docUri: z.string().nullable(),
  nonce: z.string(),
  deadline: z.number(),
  expected: z.object({
    docUri: z.string(),
    docHash: hex,
    initialState: hex,
    inputDefsHash: hex,
    transitionsHash: hex,
    initVarsHash: hex,
    verifiersHash: hex,
    actionsHash: hex,
    signature,
  }),
  inputs: z.array(
    z.object({
      inputId: z.string(),
      values,
      agreementAddress: hex,
      payload: hex,
      nonce: z.string(),
      deadline: z.number(),
      signature,
    }),
  ),
});

/** The well-known second account of Anvil, which signed every vector. */
const signer = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');

function readVectors(folder: URL) {
  if (!existsSync(folder)) return [];
  return z.array(vector).parse(JSON.parse(readFileSync(new URL('vectors.json', folder), 'utf8')));
}

function split(signed: Hex) {
  const { r, s, yParity } = parseSignature(signed);
  return { v: 27 + yParity, r, s };
}

const own = new URL('../../vectors/', import.meta.url);
const sets = [
  { name: 'frozen here', vectors: own, documents: own },
  {
    name: 'of the specification',
    vectors: new URL('../../../../shared/vectors/', import.meta.url),
    documents: new URL('../../../../shared/agreements/', import.meta.url),
  },
];

for (const set of sets) {
  describe.skipIf(!existsSync(set.vectors))(`known results ${set.name}`, () => {
    const vectors = readVectors(set.vectors).map((known) => {
      const agreement: unknown = JSON.parse(
        readFileSync(new URL(known.agreementFile, set.documents), 'utf8'),
      );
      return { ...known, agreement };
    });

    test.each(vectors)('$agreementFile compiles to the known parameters and deploy permit', async (known) => {
      const { docUri, initValues: values, chainId, factory } = known;
      const parameters = compileAgreement(known.agreement, { docUri, values });
      const permit = { nonce: BigInt(known.nonce), deadline: BigInt(known.deadline) };
      const typedData = deployTypedData({ chainId, factory, parameters, ...permit });
      const { signature: expectedSignature, ...expected } = known.expected;
      expect(typedData.message).toEqual({ ...expected, ...permit });
      expect(split(await signer.signTypedData(typedData))).toEqual(expectedSignature);
    });

    const inputs = vectors.flatMap(({ agreement, chainId, agreementFile, inputs }) =>
      inputs.map((input) => ({ agreement, chainId, agreementFile, ...input })),
    );

    test.each(inputs)('$inputId of $agreementFile encodes to the known payload and permit', async (input) => {
      const { chainId, agreementAddress, inputId } = input;
      const payload = encodeInputPayload(input.agreement, inputId, input.values);
      expect(payload).toBe(input.payload);
      const permit = { nonce: BigInt(input.nonce), deadline: BigInt(input.deadline) };
      const typedData = inputTypedData({ chainId, agreementAddress, inputId, payload, ...permit });
      expect(split(await signer.signTypedData(typedData))).toEqual(input.signature);
    });
  });
}
