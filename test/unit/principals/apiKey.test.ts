import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createApiKeyText, findKeyEnvironment, hashApiKey } from '../../../src/records/principals/apiKey.ts';

describe('an API key', () => {
  test('names its environment and holds 256 random bits', () => {
    expect(createApiKeyText('testnet')).toMatch(/^agk_test_[0-9a-f]{64}$/);
    expect(createApiKeyText('production')).toMatch(/^agk_live_[0-9a-f]{64}$/);
    expect(createApiKeyText('testnet')).not.toBe(createApiKeyText('testnet'));
  });

  test('is recognised by its form', () => {
    expect(findKeyEnvironment(createApiKeyText('testnet'))).toBe('testnet');
    expect(findKeyEnvironment(createApiKeyText('production'))).toBe('production');
    for (const text of [
      '',
      'agk_test_',
      'agk_test_1',
      `agk_prod_${'a'.repeat(64)}`,
      `${createApiKeyText('testnet')} `,
    ])
      expect(findKeyEnvironment(text)).toBeUndefined();
  });

  test('is stored as its SHA-256', () => {
    expect(hashApiKey('agk_test_x')).toBe(`0x${createHash('sha256').update('agk_test_x').digest('hex')}`);
  });
});
