import { z } from '@hono/zod-openapi';
import { type Hex, isHex } from 'viem';
import { participantAccesses } from '../../platform/database/tables/records.ts';
import { parseAddress } from '../../protocol/index.ts';
import { isHidden } from '../../protocol/isHidden.ts';
import { maxDocUri } from '../../records/agreements/maxDocUri.ts';
import { documentIdPattern, maxDocumentId } from '../agreements/documentId.ts';
import { isUnfit } from './textFitness.ts';

/** Shapes shared by several routes: each checks a value and converts it to the code's form. */

export const addressShape = z
  .string()
  .transform((text, context) => {
    const address = parseAddress(text);
    if (address) return address;
    context.addIssue('must be an address in lower case or with a valid checksum');
    return z.NEVER;
  })
  .openapi({ type: 'string', example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' });

/** Any positive integer; unsupported chains are refused later. */
export const chainIdShape = z.int().openapi({ minimum: 1, example: 59141 });

export const chainIdParameter = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a chain id')
  .transform(Number)
  .openapi({
    type: 'integer',
    description:
      'The id of a chain of this installation. Any other is refused with reason `unsupported_chain`. Required with an address that is known on several chains.',
  });

const maxTextParameter = 1_000;
/** A text to compare with stored texts, which cannot contain NUL. */
export const textParameter = z
  .string()
  .max(maxTextParameter)
  .refine((text) => !isUnfit(text), 'contains a NUL character');

/** No document may have a name as long. */
export const longestName = 1_000;
/** The name of one of a document's inputs; answers and logs repeat it. */
export const inputNameShape = z.string().max(longestName);

/**
 * The shape of a text of so many hex digits after 0x, in either case. It is read in lower case, because a repeated permit is
 * recognised by its call data as text.
 */
export function buildHexShape(digits: number) {
  const pattern = `^0x[0-9a-fA-F]{${digits}}$`;
  const expression = new RegExp(pattern);
  return z
    .string()
    .transform((text, context): Hex => {
      const lower = text.toLowerCase();
      if (expression.test(text) && isHex(lower)) return lower;
      context.addIssue(`must be 0x and ${digits} hex digits`);
      return z.NEVER;
    })
    .openapi({ type: 'string', pattern });
}
const wordShape = buildHexShape(64);

const recoveryValues: [27, 28] = [27, 28];
/** If there were several literals, only the first would be documented. */
const recoveryShape = z.literal(recoveryValues).openapi({ type: 'integer', enum: recoveryValues });

export const signatureShape = z
  .strictObject({ v: recoveryShape, r: wordShape, s: wordShape })
  .openapi('Signature', { description: 'The permit signature, split into `v`, `r` and `s`.' });

export const deadlineShape = z.int().nonnegative().transform(BigInt).openapi({
  type: 'integer',
  description: 'When the permit expires, in Unix seconds.',
  example: 1893456000,
});

const maxEmailLength = 254;
const emailShape = z
  .string()
  .max(maxEmailLength)
  .regex(/^[^\s@<>"]+@[^\s@<>"]+$/, 'must be an e-mail address');

const maxNameLength = 256;
const personNameShape = z.string().max(maxNameLength);
const partyShape = { variableKey: z.string().min(1).max(maxNameLength), walletAddress: z.string() };
export const participantShape = z.strictObject({
  ...partyShape,
  email: emailShape.optional(),
  firstName: personNameShape.optional(),
  lastName: personNameShape.optional(),
  walletBinding: z.unknown().optional(),
});

/** Some clients store absent details as null, and send them so. */
const sentParticipantShape = z
  .strictObject({
    ...partyShape,
    email: emailShape.nullish(),
    firstName: personNameShape.nullish(),
    lastName: personNameShape.nullish(),
    walletBinding: z.unknown().optional(),
  })
  .openapi('Participant', {
    description: 'A party: its address variable and its wallet. A detail that is null counts as absent.',
  })
  .transform(({ email, firstName, lastName, ...party }) => ({
    ...party,
    ...(email != null && { email }),
    ...(firstName != null && { firstName }),
    ...(lastName != null && { lastName }),
  }));

/** More than any installation should allow; its own limit is checked with the rest of the deployment. */
export const maxParties = 1_000;
export const participantsShape = z.array(sentParticipantShape).max(maxParties);
export const observersShape = z.array(emailShape).max(maxParties);

/** An authored document. It is hashed as parsed, so it passes unchanged; the protocol's own rules check it. */
export const agreementShape = z
  .unknown()
  .refine((value) => value !== undefined, 'is missing')
  .openapi({ type: 'object', additionalProperties: true, description: 'The authored agreement.' });

export const valuesShape = z
  .unknown()
  .refine((value) => value !== undefined, 'is missing')
  .openapi({
    type: 'object',
    additionalProperties: true,
    description: 'Values by name, in the order in which they are signed.',
  });

const maxDisplayName = 500;
/** A pattern for what is seen would need flags, and not every client's patterns know them. */
export const displayNameShape = z
  .string()
  .max(maxDisplayName)
  .regex(/\S/, 'must not be empty')
  .refine((name) => !isHidden(name), 'must have a visible character');

export const documentIdShape = z
  .string()
  .min(1)
  .max(maxDocumentId)
  .regex(documentIdPattern, 'must be usable as a URL path segment')
  // A pattern's flags would be documented as part of the pattern.
  .openapi({ pattern: documentIdPattern.source });

export const participantAccessShape = z.enum(participantAccesses).openapi({
  description:
    'What participant wallets may do after signing in: nothing, read the agreement, or also sign inputs.',
});

export const docUriShape = z.string().min(1).max(maxDocUri);

/** Rules refer to the document beside them and are checked with it, so they pass unchanged. */
export const notificationTemplateShape = z.unknown().openapi({
  type: 'object',
  additionalProperties: true,
  description: 'The notification rules: `rules`, and optional `metadata`.',
});

export const recordParams = z.strictObject({
  id: z.string().openapi({
    description: 'The record id or the contract address.',
    example: 'agr_0123456789abcdef0123456789abcdef',
  }),
});

export const chainOfReference = z.strictObject({ chainId: chainIdParameter.optional() });
