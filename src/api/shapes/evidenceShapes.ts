import { z } from '@hono/zod-openapi';
import { evidenceFormat, evidenceNotes } from '../../protocol/evidence/evidenceFile.ts';

/** An evidence file as a JSON Schema; docs/evidence.md has the verifier's further checks. */
const hex = z.string().regex(/^0x([0-9a-f]{2})*$/);
const word = z.string().regex(/^0x[0-9a-f]{64}$/);
const address = z.string().regex(/^0x[0-9a-f]{40}$/);
const decimal = z.string().regex(/^(0|[1-9][0-9]{0,77})$/);
const count = z.int().nonnegative();

const typedData = z.strictObject({
  domain: z.strictObject({
    name: z.string(),
    version: z.string(),
    chainId: count,
    verifyingContract: address,
  }),
  primaryType: z.string(),
  types: z.record(z.string(), z.array(z.strictObject({ name: z.string(), type: z.string() }))),
  message: z.record(z.string(), z.string()),
});
const permit = z
  .strictObject({
    signer: address,
    nonce: decimal,
    deadline: decimal,
    v: z.union([z.literal(27), z.literal(28)]),
    r: word,
    s: word,
    typedData,
  })
  .nullable();
const proof = z.array(hex);

export const evidenceShape = z
  .strictObject({
    format: z.literal(evidenceFormat),
    made: z.strictObject({ at: z.iso.datetime(), by: z.string(), software: z.string() }),
    chain: z.strictObject({ chainId: count, factory: address, implementation: address }),
    agreement: z.strictObject({
      address,
      owner: address,
      docUri: z.string(),
      docHash: word,
      initialState: word,
      currentState: word,
      inputCount: count,
    }),
    document: z.strictObject({
      text: z.string(),
      values: z.array(z.strictObject({ name: z.string(), value: z.union([z.string(), z.boolean()]) })),
    }),
    notes: z.array(z.enum(evidenceNotes)),
    blocks: z.array(z.strictObject({ number: count, hash: word, timestamp: count, header: hex.nullable() })),
    transactions: z.array(
      z.strictObject({
        block: count,
        index: count,
        hash: word,
        raw: hex,
        proof: proof.nullable(),
        receipt: hex,
        receiptProof: proof.nullable(),
      }),
    ),
    deployment: z.strictObject({ transaction: count, log: count, permit }),
    inputs: z.array(
      z.strictObject({
        transaction: count,
        log: count,
        inputId: word,
        fromState: word,
        toState: word,
        payload: hex,
        permit,
      }),
    ),
    state: z
      .strictObject({
        block: count,
        layout: z.strictObject({ docHash: word, initialState: word, currentState: word, nonces: word }),
        accountProof: proof,
        storage: z.array(z.strictObject({ of: z.string(), value: word, proof })),
      })
      .nullable(),
  })
  .openapi('AgreementEvidence', {
    description: 'The history of an agreement, with everything needed to verify it without this service.',
  });

export const evidenceProgressShape = z
  .object({
    status: z.literal('collecting'),
    blocksProved: z.int().nonnegative(),
    blocks: z.int().nonnegative(),
  })
  .openapi('EvidenceProgress', { description: 'How many blocks are fetched and proved so far.' });

/** The schema published beside the format's description. */
export function writeEvidenceSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(evidenceShape, { io: 'input' });
  return { $schema, title: evidenceFormat, ...schema };
}
