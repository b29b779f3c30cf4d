import { z } from '@hono/zod-openapi';
import { entitlementModes, type Scope, scopes } from '../../records/principals/scopes.ts';

/** The shapes of the session routes. */

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
    description:
      'What it is good for; without it, for all that the key is. It is never good for more than that.',
  });

const maxLabel = 200;
export const labelShape = z
  .string()
  .max(maxLabel)
  .regex(/\S/, 'must not be empty')
  .openapi({ description: 'By which people know it in lists.', example: 'Ada, on her laptop' });

const narrowing = {
  capabilities: z.array(z.enum(scopes)),
  isNarrowed: z.boolean().openapi({
    description: 'Whether it is good for less than its key, and not for sessions and links of others.',
  }),
};

export const sessionShape = z
  .object({
    id: z.string().openapi({ example: 'ses_0123456789abcdef0123456789abcdef' }),
    label: z.string().optional(),
    ...narrowing,
    isCurrent: z.boolean().openapi({ description: 'Whether it is the session that asks.' }),
    createdByApiKeyId: z.string().openapi({ description: 'The key that it ends with.' }),
    portalLinkId: z.string().optional().openapi({ description: 'The link that it was opened with.' }),
    createdAt: instant,
    lastUsedAt: instant,
    expiresAt: instant.openapi({ description: 'When it ends unless it is used; its use moves this on.' }),
    endedAt: instant.optional(),
  })
  .openapi('Session');

export const currentShape = z
  .object({
    principal: z.object({ id: z.string(), name: z.string() }),
    session: sessionShape.optional().openapi({ description: 'Absent for a key.' }),
    scopes: z.partialRecord(z.enum(scopes), z.enum(entitlementModes)).openapi({
      description: 'By scope, what governs it for this caller; a scope that is absent is forbidden.',
    }),
  })
  .openapi('CurrentCaller');

const portalLinkMembers = {
  id: z.string().openapi({ example: 'plk_0123456789abcdef0123456789abcdef' }),
  label: z.string().optional(),
  ...narrowing,
  createdByApiKeyId: z.string().openapi({ description: 'The key that it ends with.' }),
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
        'Opens the console with a session, once. Its fragment is the secret, which is shown in this answer alone.',
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

/** The parameter `{id}` of the session routes. */
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
