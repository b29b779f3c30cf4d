import { z } from 'zod';

const hex = z.templateLiteral(['0x', z.string()]);

/** What the demo reads of the service's answers; each has more. */
export const preflightShape = z.object({
  variables: z.record(z.string(), z.union([z.string(), z.boolean()])),
  participants: z.array(z.object({ variableKey: z.string(), walletAddress: hex })),
  warnings: z.array(z.unknown()),
});

export const recordShape = z.object({
  id: z.string(),
  address: hex.optional(),
  chainId: z.int(),
  status: z.enum(['Draft', 'Deployed']),
  state: z.string().optional(),
  docUri: z.string(),
  onChain: z.looseObject({}).optional(),
});
export type ServedRecord = z.output<typeof recordShape>;

export const inputShape = z.object({
  id: z.string(),
  inputId: z.string(),
  status: z.enum(['PENDING', 'MINED', 'FAILED']),
  fromState: z.string().optional(),
  toState: z.string().optional(),
  signer: z.string().optional(),
  submitter: z.string().optional(),
  userId: z.string().optional(),
  payload: hex,
  txHash: hex.nullable().optional(),
  blockNumber: z.int().optional(),
});
export type ServedInput = z.output<typeof inputShape>;

export const stateShape = z.object({
  status: z.enum(['Draft', 'Deployed']),
  state: z.string().nullable(),
  blockNumber: z.int().nullable().optional(),
  acceptedInputs: z.array(z.object({ inputId: z.string(), issuers: z.array(hex), anyone: z.boolean() })),
});
export type ServedState = z.output<typeof stateShape>;
