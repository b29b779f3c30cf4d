import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkSettings } from '../../../src/platform/config/checkSettings.ts';
import { ConfigurationError } from '../../../src/platform/config/configurationError.ts';

const right = {
  DATABASE_URL: 'postgresql://127.0.0.1/agreements',
  CHAINS: '84532',
  RPC_URL_84532: 'http://127.0.0.1:8545',
  RELAYER_PRIVATE_KEYS: `0x${'11'.repeat(32)}`,
};

/** One wrong value for each part of the settings, and the start of its error message. */
const wrong = {
  RPC_URL_84532: ['nowhere', 'RPC_URL_84532: '],
  RELAYER_PRIVATE_KEYS: ['0x12', 'RELAYER_PRIVATE_KEYS, key 1: '],
  RELAYER_MAX_FEE_GWEI: ['much', 'RELAYER_MAX_FEE_GWEI: '],
  INDEXER_PORT: ['99999', 'INDEXER_PORT: '],
  INTERNAL_PORT: ['x', 'INTERNAL_PORT: '],
  WORKER_INTERNAL_PORT: ['y', 'WORKER_INTERNAL_PORT: '],
  ENCRYPTION_KEY: ['abc', 'ENCRYPTION_KEY: '],
  INDEX_PRUNE_SECONDS: ['-1', 'INDEX_PRUNE_SECONDS: '],
  SMTP_URL: ['smtp://127.0.0.1:25', 'MAIL_FROM: is required if SMTP_URL is set'],
  RULES_IDLE_SECONDS: ['soon', 'RULES_IDLE_SECONDS: '],
  WEBHOOK_ATTEMPTS: ['none', 'WEBHOOK_ATTEMPTS: '],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['nowhere', 'OTEL_EXPORTER_OTLP_ENDPOINT: '],
} as const;

const listProblems = (env: NodeJS.ProcessEnv): readonly string[] => {
  try {
    checkSettings(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems;
  }
};

test('correct settings are read', () => {
  expect(checkSettings(right)).toMatchObject({ databaseUrl: right.DATABASE_URL });
});

test.each(Object.entries(wrong))('%s is reported before anything starts', (variable, [value, message]) => {
  expect(listProblems({ ...right, [variable]: value })).toEqual([expect.stringContaining(message)]);
});

test('a sender of mails without a server is reported before anything starts', () => {
  expect(listProblems({ ...right, MAIL_FROM: 'no-reply@example.com', SMTP_URL: '' })).toEqual([
    'SMTP_URL: is required if MAIL_FROM is set',
  ]);
});

test('all faults are reported at once', () => {
  const values = Object.fromEntries(Object.entries(wrong).map(([variable, [value]]) => [variable, value]));
  const problems = listProblems({ ...right, ...values });
  const messages = Object.values(wrong).map(([, message]) => message);
  expect(messages.filter((message) => !problems.some((problem) => problem.startsWith(message)))).toEqual([]);
  expect(problems).toHaveLength(messages.length);
});

test('everything that an installation must set is reported at once, for each chain', () => {
  expect(listProblems({ CHAINS: '84532,59141' }).map((problem) => problem.split(':', 1)[0])).toEqual([
    'DATABASE_URL',
    'RPC_URL_84532',
    'RPC_URL_59141',
    'RELAYER_PRIVATE_KEYS_84532 or RELAYER_PRIVATE_KEYS',
    'RELAYER_PRIVATE_KEYS_59141 or RELAYER_PRIVATE_KEYS',
  ]);
});

test('no part of the settings is left out', () => {
  const folder = fileURLToPath(new URL('../../../src/platform/config/', import.meta.url));
  const readers = readdirSync(folder).flatMap((file) =>
    [...readFileSync(folder + file, 'utf8').matchAll(/^export function (read\w+)\(\s*env\b/gm)].map(
      ([, name = '']) => name,
    ),
  );
  // `readRelayerSigners` calls these two.
  const parts = ['readRelayerKeys', 'readRelayerKeystores'];
  const check = readFileSync(`${folder}checkSettings.ts`, 'utf8');
  expect(readers.length).toBeGreaterThan(9);
  expect(readers.filter((name) => !parts.includes(name) && !check.includes(`${name}(env`))).toEqual([]);
});
