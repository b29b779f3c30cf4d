import type { entitlementModes } from '../../platform/database/tables/access.ts';

/** The scopes that routes need. */
export const scopes = ['agreements.read', 'agreements.write', 'webhooks.read', 'webhooks.write'] as const;
export type Scope = (typeof scopes)[number];

/** What a principal can be given: scopes, and wildcards for several. */
export const grantableScopes = [...scopes, 'agreements.*', 'webhooks.*', '*'] as const;
export type GrantableScope = (typeof grantableScopes)[number];

export type EntitlementMode = (typeof entitlementModes)[number];

export type Entitlement = { readonly scope: string; readonly mode: EntitlementMode };

/** A larger number is stricter. */
const strictness = { free_allowlist: 0, paid_required: 1, blocked: 2 } as const;

/**
 * The mode for a scope: that of the most specific entitlement that covers it, and of equally specific ones
 * the strictest. Undefined if none covers it, which forbids the scope.
 */
export function findMode(entitlements: readonly Entitlement[], scope: Scope): EntitlementMode | undefined {
  const group = `${scope.split('.')[0]}.*`;
  for (const candidate of [scope, group, '*']) {
    const modes = entitlements.filter((entitlement) => entitlement.scope === candidate);
    const [strictest] = modes.toSorted((a, b) => strictness[b.mode] - strictness[a.mode]);
    if (strictest) return strictest.mode;
  }
  return undefined;
}

/** The mode for each scope; a missing mode forbids it. */
export type Modes = Readonly<Record<Scope, EntitlementMode | undefined>>;

export function findModes(entitlements: readonly Entitlement[]): Modes {
  const modeOf = (scope: Scope) => findMode(entitlements, scope);
  return {
    'agreements.read': modeOf('agreements.read'),
    'agreements.write': modeOf('agreements.write'),
    'webhooks.read': modeOf('webhooks.read'),
    'webhooks.write': modeOf('webhooks.write'),
  };
}
