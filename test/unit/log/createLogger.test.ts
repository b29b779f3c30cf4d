import { expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/log/createLogger.ts';
import { listSecrets } from '../../../src/platform/log/listSecrets.ts';
import { createSecret } from '../../../src/records/sessions/secretText.ts';

function capture(secrets: readonly string[] = []) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, logger: createLogger({ level: 'info', name: 'test', secrets, destination }) };
}

test('a line is one JSON object that names the process and keeps the causes of an error', () => {
  const { lines, logger } = capture();
  logger.warn({ err: new Error('outer', { cause: new Error('inner') }) }, 'it broke');
  const [line = ''] = lines;
  expect(lines).toHaveLength(1);
  expect(JSON.parse(line)).toMatchObject({
    name: 'test',
    level: 40,
    msg: 'it broke',
    err: { message: 'outer', cause: { message: 'inner' } },
  });
});

test('no secret of the environment reaches a log, whether in a field, a message or an error', () => {
  const env = {
    DATABASE_URL: 'postgres://agreements:p%40ss-word@db.example/agreements',
    RPC_URL_59141: 'https://rpc.example/v3/0123456789abcdef01,https://other.example/?apikey=zyxwvuts',
    RELAYER_PRIVATE_KEYS: `0x${'AB'.repeat(32)},${'cd'.repeat(32)}`,
  };
  const { lines, logger } = capture(listSecrets(env));
  const cause = new Error(`no answer from ${env.RPC_URL_59141}`);
  logger.error({ err: new Error('failed', { cause }), url: env.DATABASE_URL }, 'of no use');
  logger.info({ password: 'p@ss-word', key: 'ab'.repeat(32) }, `signing with 0x${'cd'.repeat(32)}`);
  const text = lines.join('');
  for (const secret of ['p%40ss', 'p@ss', '0123456789abcdef01', 'zyxwvuts', 'abababab', 'cdcdcdcd']) {
    expect(text.toLowerCase()).not.toContain(secret);
  }
  expect(text).toContain('https://rpc.example/');
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});

test('text in the form of a secret is masked even if unknown', () => {
  const { lines, logger } = capture();
  logger.info(
    { a: 'agk_test_abcdefghijkl', b: 'whsec_0011223344556677', c: 'postgres://me:hidden@host/db' },
    'x',
  );
  const [line = ''] = lines;
  expect(JSON.parse(line)).toMatchObject({
    a: 'agk_test_[redacted]',
    b: 'whsec_[redacted]',
    c: 'postgres://me:[redacted]@host/db',
  });
});

test('secrets of sessions and links are masked wherever a caller puts them', () => {
  const kinds = ['session', 'portal', 'signing', 'wallet'] as const;
  const secrets = kinds.map((kind) => createSecret(kind));
  const { lines, logger } = capture();
  for (const secret of secrets)
    logger.info({ path: `/v0/agreements/${secret}`, issues: [{ path: secret }] }, `refused ${secret}`);
  const text = lines.join('');
  for (const secret of secrets) expect(text).not.toContain(secret.slice(4, 20));
  expect(text).toContain('/v0/agreements/agl_[redacted]');
});

test('credentials of AWS are secrets, the path of a password file is not', () => {
  const env = {
    AWS_SECRET_ACCESS_KEY: 'aws-secret-key',
    AWS_SESSION_TOKEN: 'aws-session-token',
    RELAYER_KEYSTORE_PASSWORD_FILE: '/run/secrets/keystore',
    RELAYER_PRIVATE_KEYS_84532: `0x${'ab'.repeat(32)}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20otlp%3Dkey,x-key=tenant-key',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://traces.example/0123456789abcdef01/otlp',
  };
  const secrets = listSecrets(env);
  expect(secrets).toEqual(expect.arrayContaining(['aws-secret-key', 'aws-session-token', 'ab'.repeat(32)]));
  expect(secrets).toEqual(
    expect.arrayContaining(['Bearer otlp=key', 'otlp%3Dkey', 'otlp=key', 'tenant-key', '0123456789abcdef01']),
  );
  expect(secrets).not.toContain('/run/secrets/keystore');
});

test('a secret that contains a comma is masked as a whole', () => {
  const env = {
    DATABASE_URL: 'postgres://agreements:one,two%2Fthree@db.example/agreements',
    PGPASSWORD: 'four,five',
  };
  const { lines, logger } = capture(listSecrets(env));
  logger.info({ password: 'one,two/three', other: 'four,five' }, 'x');
  const [line = ''] = lines;
  expect(JSON.parse(line)).toMatchObject({ password: '[redacted]', other: '[redacted]' });
});
