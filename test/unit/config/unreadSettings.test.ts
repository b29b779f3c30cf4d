import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listUnreadSettings } from '../../../src/platform/config/unreadSettings.ts';

const chains = [{ chainId: 84532 }, { chainId: 59141 }];
const example = readFileSync(fileURLToPath(new URL('../../../.env.example', import.meta.url)), 'utf8');

test('every setting of .env.example is read', () => {
  const names = [...example.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
  expect(names).toContain('WEBHOOK_ALLOWED_TARGETS');
  expect(listUnreadSettings(Object.fromEntries(names.map((name) => [name, 'set'])), chains)).toEqual([]);
});

test.each([
  'RELAYER_PRIVATE_KEY',
  'RELAYER_PRIVATE_KEY_FILE',
  'RELAYER_PRIVATE_KEY_59141',
  'RELAYER_MAX_FEE_GWEI_84531',
  'RELAYER_PRIVATE_KEYS_5914_FILE',
  'WEBHOOK_ALLOWED_TARGET',
  'WEBHOOK_ATTEMPTS_59141',
  'WEBHOOK_ATTEMPTS_FILE',
  'RATE_LIMIT_READ',
  'ENCRYPTION_KEYS',
])('%s is named like a setting, and nothing reads it', (name) => {
  expect(listUnreadSettings({ [name]: 'set' }, chains)).toEqual([name]);
});

test.each([
  'RELAYER_PRIVATE_KEYS_59141_FILE',
  'RELAYER_PRIVATE_KEYS_FILE',
  'RELAYER_KEYSTORE_PASSWORD_FILE_59141',
  'RELAYER_MAX_FEE_GWEI_84532',
  'ENCRYPTION_KEY_FILE',
  'WEBHOOK_SERVICE_HOST',
  'WEBHOOK_PORT_443_TCP_ADDR',
  'PATH',
])('%s is read, or belongs to another program', (name) => {
  expect(listUnreadSettings({ [name]: 'set' }, chains)).toEqual([]);
});

test('an empty variable counts as not set', () => {
  expect(listUnreadSettings({ RELAYER_PRIVATE_KEY: '' }, chains)).toEqual([]);
});
