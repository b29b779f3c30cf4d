import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ConfigurationError } from '../../../src/platform/config/configurationError.ts';
import { loadSecretFiles } from '../../../src/platform/config/secretFiles.ts';

const folder = mkdtempSync(join(tmpdir(), 'agreements-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("a file's content replaces its path", () => {
  const env = {
    DATABASE_URL_FILE: write('url', ' postgres://db/agreements\n'),
    RELAYER_PRIVATE_KEYS_84532_FILE: write('keys', '0x11,0x22\n'),
    RELAYER_KEYSTORE_PASSWORD_FILE: '/kept/for/its/reader',
    LOG_LEVEL: 'info',
  };
  loadSecretFiles(env);
  expect(env).toEqual({
    DATABASE_URL: 'postgres://db/agreements',
    RELAYER_PRIVATE_KEYS_84532: '0x11,0x22',
    RELAYER_KEYSTORE_PASSWORD_FILE: '/kept/for/its/reader',
    LOG_LEVEL: 'info',
  });
});

test('a variable given twice, an unreadable file and an empty one are all reported without their content', () => {
  const env = {
    DATABASE_URL: 'postgres://secret',
    DATABASE_URL_FILE: write('other', 'postgres://other-secret'),
    ENCRYPTION_KEY_FILE: join(folder, 'absent'),
    SMTP_URL_FILE: write('empty', ' \n'),
  };
  let problems: readonly string[] = [];
  try {
    loadSecretFiles(env);
  } catch (error) {
    if (error instanceof ConfigurationError) problems = error.problems;
  }
  expect(problems).toEqual([
    'DATABASE_URL: must not be set together with DATABASE_URL_FILE',
    `ENCRYPTION_KEY_FILE: ${join(folder, 'absent')} cannot be read (ENOENT)`,
    `SMTP_URL_FILE: ${join(folder, 'empty')} is empty`,
  ]);
});
