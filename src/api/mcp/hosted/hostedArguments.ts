import { z } from 'zod';
import { jsonObjectArgument, present } from '../agentArguments.ts';

/** The arguments, with the names of the hosted service's tools. */

/** The hosted tools name one of two installations; here the name must be this installation's. */
export const environmentArgument = z
  .enum(['testnet', 'production'])
  .optional()
  .describe('Optional. Must be the environment of this installation');
export const agreementIdArgument = z.string().min(1).max(200);
export const documentArgument = jsonObjectArgument;
export const chainIdArgument = z.int().positive().optional();
export const valuesArgument = jsonObjectArgument;
export const deploymentArguments = {
  initValues: valuesArgument.optional(),
  participants: z.array(z.looseObject({ variableKey: z.string(), walletAddress: z.string() })).optional(),
  observers: z.array(z.string()).optional(),
};
export const documentPlace = { docUri: z.string().optional(), documentId: z.string().optional() };
export const pageArguments = {
  limit: z.int().min(1).max(100).optional(),
  cursor: z.string().max(4_096).optional(),
};
/** A permit; a call without one gets an explanation of how to get it. */
export const permitArguments = {
  signer: z.string().optional(),
  deadline: z.int().nonnegative().optional(),
  signatureV: z.int().optional().describe('27 or 28'),
  signatureR: z.string().optional(),
  signatureS: z.string().optional(),
};

/** The members that are present, as text for queries. */
export function presentTexts(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(present(members)).map(([name, value]) => [name, String(value)]));
}
