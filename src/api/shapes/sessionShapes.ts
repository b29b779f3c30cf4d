import { z } from '@hono/zod-openapi';
import { entitlementModes } from '../../platform/database/tables/access.ts';
import { isHidden } from '../../protocol/isHidden.ts';
import { type Scope, scopes } from '../../records/principals/scopes.ts';

const instant = z.iso.datetime({ precision: 3 });

/** Each once, in a fixed order. */
export const capabilitiesShape = z
  .array(z.enum(scopes))
  .min(1)
  .max(scopes.length)
  .transform((given): Scope[] => scopes.filter((scope) => given.includes(scope)))
  .openapi({
    type: 'array',
    items: { type: 'string', enum: [...scopes] },
    description: 'The scopes of the session. Defaults to all scopes of the API key; never exceeds them.',
  });

const maxLabel = 200;
export const labelShape = z
  .string()
  .max(maxLabel)
  .regex(/\S/, 'must not be empty')
  .refine((name) => !isHidden(name), 'must have a visible character')
  .openapi({ description: 'A name shown in lists.', example: 'Ada, on her laptop' });

const narrowing = {
  capabilities: z.array(z.enum(scopes)),
  isNarrowed: z.boolean().openapi({
    description:
      'Whether the session has fewer scopes than its key. A narrowed session cannot manage sessions or portal links.',
  }),
};

export const sessionShape = z
  .object({
    id: z.string().openapi({ example: 'ses_0123456789abcdef0123456789abcdef' }),
    label: z.string().optional(),
    ...narrowing,
    isCurrent: z.boolean().openapi({ description: 'Whether this is the session of this request.' }),
    createdByApiKeyId: z
      .string()
      .openapi({ description: 'The API key that created it. It ends when this key ends.' }),
    portalLinkId: z.string().optional().openapi({ description: 'The portal link that opened the session.' }),
    createdAt: instant,
    lastUsedAt: instant,
    expiresAt: instant.openapi({ description: 'When the session expires. Each use extends it.' }),
    endedAt: instant.optional(),
  })
  .openapi('Session');

export const currentShape = z
  .object({
    principal: z.object({ id: z.string(), name: z.string() }),
    session: sessionShape.optional().openapi({ description: 'Absent if the caller uses an API key.' }),
    scopes: z.partialRecord(z.enum(scopes), z.enum(entitlementModes)).openapi({
      description: 'The entitlement mode of this caller for each scope. An absent scope is forbidden.',
    }),
  })
  .openapi('CurrentCaller');

const portalLinkMembers = {
  id: z.string().openapi({ example: 'plk_0123456789abcdef0123456789abcdef' }),
  label: z.string().optional(),
  ...narrowing,
  createdByApiKeyId: z
    .string()
    .openapi({ description: 'The API key that created it. It ends when this key ends.' }),
  createdAt: instant,
  expiresAt: instant,
  usedAt: instant.optional(),
  endedAt: instant.optional(),
};
export const portalLinkShape = z.object(portalLinkMembers).openapi('PortalLink');
export const newPortalLinkShape = z
  .object({
    ...portalLinkMembers,
    url: z.string().openapi({
      description:
        'Opens the console with a session, once. The fragment holds the secret, which is shown only in this response.',
    }),
  })
  .openapi('PortalLinkWithUrl');

export const portalLinkPreviewShape = z
  .object({
    principal: z
      .object({ id: z.string(), name: z.string() })
      .openapi({ description: 'The principal of the session.' }),
    label: z.string().optional(),
    ...narrowing,
    expiresAt: instant,
  })
  .openapi('PortalLinkPreview');

export const sessionParams = z.strictObject({
  id: z.string().openapi({ example: 'ses_0123456789abcdef0123456789abcdef' }),
});
export const portalLinkParams = z.strictObject({
  id: z.string().openapi({ example: 'plk_0123456789abcdef0123456789abcdef' }),
});

export const secretShape = (prefix: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}[0-9a-f]{64}$`), `must be ${prefix} and 64 hex digits`)
    .openapi({ example: `${prefix}${'0123456789abcdef'.repeat(4)}` });
