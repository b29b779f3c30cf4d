import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../protocol/jsonCursor.ts';
import { instantShape } from '../shapes/listParameters.ts';

/** Arguments shared by several tools. The operations behind the tools check addresses and documents. */

export const agreementIdArgument = z
  .string()
  .max(200)
  .describe('agr_… from find_agreements, or the address of the contract');
export const chainIdArgument = z.int().positive().optional();
export const chainOfAddress = chainIdArgument.describe(
  'Needed only if agreementId is an address that is known on several chains',
);
/** As it was sent: a record of zod's would leave out a member called `__proto__`, and with it change what is signed. */
export const jsonObjectArgument = z
  .unknown()
  .transform((value, context): JsonObject => {
    if (isJsonObject(value)) return value;
    context.addIssue({ code: 'custom', message: value === undefined ? 'is missing' : 'must be an object' });
    return z.NEVER;
  })
  .meta({ type: 'object', additionalProperties: {} });
export const documentArgument = jsonObjectArgument.describe(
  'The agreement document; see the resource agreements://docs/author-agreement-json.md',
);
export const instantArgument = z
  .string()
  .max(40)
  .superRefine((text, context) => {
    const { error } = instantShape.safeParse(text);
    for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', message });
  });
export const valuesArgument = jsonObjectArgument;
export const consistencyArgument = z
  .string()
  .max(4_000)
  .optional()
  .describe('The consistency value of submit_signed; the answer then includes that write');

/** The parts of a deployment besides its document and chain. */
export const deploymentArguments = {
  initValues: valuesArgument
    .optional()
    .describe('Initial values by variable name, without participant variables'),
  participants: z
    .array(z.looseObject({ variableKey: z.string(), walletAddress: z.string() }))
    .optional()
    .describe('The wallet of each participant variable; email may be added'),
  observers: z.array(z.string()).optional().describe('E-mail addresses'),
};

/** The query that identifies a record. */
export function chainQuery(chainId: number | undefined): Record<string, string> {
  return chainId === undefined ? {} : { chainId: String(chainId) };
}

/** Without absent members: the operations distinguish a missing member from an undefined one. */
export function present(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
