import { z } from '@hono/zod-openapi';
import { signingLinkUseKinds } from '../../platform/database/tables/signingLinks.ts';
import { inputRecordShape, recordShape } from './resources.ts';
import { textParameter } from './shapes.ts';

/** The shapes of the routes for signing links and for guests with such a link. */

const instant = z.iso.datetime({ precision: 3 });
const wallet = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

const linkMembers = {
  id: z.string().openapi({ example: 'lnk_0123456789abcdef0123456789abcdef' }),
  agreementId: z.string(),
  may: z.enum(['read', 'sign']),
  participant: z.string().optional().openapi({ description: 'The address variable whose wallet signs.' }),
  note: z.string().optional(),
  createdByApiKeyId: z
    .string()
    .optional()
    .openapi({ description: 'For audits. The link stays valid when this key ends.' }),
  createdAt: instant,
  expiresAt: instant,
  endedAt: instant.optional(),
  uses: z
    .array(
      z.object({
        kind: z.enum(signingLinkUseKinds),
        wallet: wallet.optional(),
        inputId: z.string().optional(),
        usedAt: instant,
      }),
    )
    .openapi({ description: 'The last 25 uses, newest first.' }),
};
export const signingLinkShape = z.object(linkMembers).openapi('SigningLink');
export const newSigningLinkShape = z
  .object({
    ...linkMembers,
    url: z.string().openapi({
      description:
        'Opens the agreement in the console. The fragment holds the secret, which is shown only in this response.',
    }),
  })
  .openapi('SigningLinkWithUrl');

export const linkOfRecordParams = z.strictObject({
  id: z.string().openapi({ example: 'agr_0123456789abcdef0123456789abcdef' }),
  linkId: z.string().openapi({ example: 'lnk_0123456789abcdef0123456789abcdef' }),
});

/** The record that a logged-in wallet asks for. */
export const sharedQuery = z.strictObject({
  agreementId: textParameter.max(64).optional().openapi({
    description:
      'The record id. Required for a wallet session; a signing link already identifies its agreement, and another id beside it is refused with 404.',
  }),
});

export const sharedRecordShape = recordShape
  .pick({
    id: true,
    address: true,
    chainId: true,
    displayName: true,
    status: true,
    json: true,
    state: true,
    variables: true,
    owner: true,
    awaitsOwner: true,
    docUri: true,
    createdAt: true,
    updatedAt: true,
  })
  .extend({
    docHash: recordShape.shape.onChain.shape.docHash,
    differsFromDocument: recordShape.shape.onChain.shape.differsFromDocument,
    deployedAt: recordShape.shape.onChain.shape.deployedAt,
    participants: z.array(z.object({ variableKey: z.string(), walletAddress: wallet })),
    access: z.object({
      may: z.enum(['read', 'sign']),
      participant: z.string().optional(),
      wallet: wallet.optional().openapi({ description: 'The only wallet that can sign with this link.' }),
    }),
  })
  .openapi('SharedAgreement');

export const sharedInputShape = inputRecordShape.omit({ userId: true }).openapi('SharedInput');
