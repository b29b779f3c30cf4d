import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entitlementModes } from '../../../src/platform/database/tables/access.ts';
import { findMode, grantableScopes, scopes } from '../../../src/records/principals/scopes.ts';

describe('the mode that governs a scope', () => {
  test('is that of the most specific entitlement, laxer or stricter', () => {
    const entitlements = [
      { scope: '*', mode: 'blocked' },
      { scope: 'agreements.*', mode: 'paid_required' },
      { scope: 'agreements.read', mode: 'free_allowlist' },
    ] as const;
    expect(findMode(entitlements, 'agreements.read')).toBe('free_allowlist');
    expect(findMode(entitlements, 'agreements.write')).toBe('paid_required');
    expect(findMode(entitlements, 'webhooks.read')).toBe('blocked');
  });

  test('is missing without an entitlement, which forbids the scope', () => {
    expect(findMode([], 'agreements.read')).toBeUndefined();
    expect(findMode([{ scope: 'webhooks.*', mode: 'free_allowlist' }], 'agreements.read')).toBeUndefined();
  });

  test('is the strictest of equally specific ones, in whatever order they come', () => {
    const entitlement = fc.record({
      scope: fc.constantFrom(...grantableScopes),
      mode: fc.constantFrom(...entitlementModes),
    });
    fc.assert(
      fc.property(fc.array(entitlement), fc.constantFrom(...scopes), (given, scope) => {
        const covering = [scope, `${scope.split('.')[0]}.*`, '*'];
        const nearest = covering.find((candidate) => given.some((one) => one.scope === candidate));
        const modes = given.filter((one) => one.scope === nearest).map(({ mode }) => mode);
        const expected = ['blocked', 'paid_required', 'free_allowlist'].find((mode) =>
          modes.some((candidate) => candidate === mode),
        );
        expect(findMode(given, scope)).toBe(expected);
      }),
    );
  });
});
