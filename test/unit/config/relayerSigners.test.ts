import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { environmentOf } from '../../../src/cli/services/servicePrograms.ts';
import { ConfigurationError } from '../../../src/platform/config/configurationError.ts';
import {
  forgetSigners,
  readRelayerSigners,
  withoutSigners,
} from '../../../src/platform/config/relayerSigners.ts';
import { sealKeystore } from '../../support/sealKeystore.ts';

const chains = [{ chainId: 59141 }, { chainId: 84532 }];
const first = `0x${'11'.repeat(32)}` as const;
const second = `0x${'22'.repeat(32)}` as const;
const third = `0x${'33'.repeat(32)}` as const;
const password = 'correct horse battery';

let directory: string;
const inDirectory = (name: string) => join(directory, name);
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'keystores-'));
  writeFileSync(inDirectory('first.json'), sealKeystore(first, password));
  writeFileSync(inDirectory('second.json'), sealKeystore(second, password));
  writeFileSync(inDirectory('password'), `${password}\n`);
  writeFileSync(inDirectory('wrong-password'), 'incorrect donkey');
  writeFileSync(inDirectory('broken.json'), '{"version": 3}');
});
afterAll(() => rmSync(directory, { recursive: true }));

function readKeys(env: NodeJS.ProcessEnv) {
  const { byChain } = readRelayerSigners(env, chains);
  return chains.map(({ chainId }) => byChain.get(chainId)?.keys);
}

describe('private keys', () => {
  test('of a chain take the place of the common ones', () => {
    const env = { RELAYER_PRIVATE_KEYS: first, RELAYER_PRIVATE_KEYS_84532: `${first},${second}` };
    expect(readKeys(env)).toEqual([[first], [first, second]]);
  });

  test('count once, in whatever spelling they are named twice', () => {
    const upper = 'AB'.repeat(32);
    const lower = `0x${upper.toLowerCase()}`;
    expect(readKeys({ RELAYER_PRIVATE_KEYS: `${lower}, ${upper}` })).toEqual([[lower], [lower]]);
  });

  test.each([
    ['a text that is no key', 'not-a-key'],
    ['a number outside the range of the curve', 'f'.repeat(64)],
  ])('%s is refused by its place and never repeated', (_, key) => {
    const read = () => readRelayerSigners({ RELAYER_PRIVATE_KEYS: `${first},${key}` }, chains);
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow('RELAYER_PRIVATE_KEYS, key 2: is not a private key');
    expect(read).not.toThrow(key);
  });
});

test('a chain with nothing to sign with is named, with every way to give it something', () => {
  const read = () => readRelayerSigners({ RELAYER_PRIVATE_KEYS_59141: first }, chains);
  expect(read).toThrow('RELAYER_PRIVATE_KEYS_84532 or RELAYER_PRIVATE_KEYS: is required');
  expect(read).toThrow('RELAYER_KEYSTORE_FILES, or RELAYER_KMS_KEY_IDS');
});

describe('keystores', () => {
  test('are opened with the password of the file, beside private keys, and their secrets are known to the log', () => {
    const env = {
      RELAYER_PRIVATE_KEYS: `${third},${first}`,
      RELAYER_KEYSTORE_FILES: inDirectory('first.json'),
      RELAYER_KEYSTORE_FILES_84532: `${inDirectory('first.json')}, ${inDirectory('second.json')}`,
      RELAYER_KEYSTORE_PASSWORD_FILE: inDirectory('password'),
    };
    expect(readKeys(env)).toEqual([
      [third, first],
      [third, first, second],
    ]);
    const { secrets } = readRelayerSigners(env, chains);
    expect(secrets).toEqual(expect.arrayContaining([password, first, first.slice(2), second]));
  });

  test.each([
    ['another password', 'first.json', 'wrong-password', 'first.json: the password of the keystore is wrong'],
    ['no keystore', 'broken.json', 'password', 'broken.json: not a version 3 keystore: crypto: '],
    ['a file that is not there', 'none.json', 'password', 'none.json: cannot be read (ENOENT)'],
    ['no password file', 'first.json', 'none', 'RELAYER_KEYSTORE_PASSWORD_FILE, '],
  ])('%s is reported by variable and file, and reveals no secret', (_, file, passwordFile, message) => {
    const env = {
      RELAYER_KEYSTORE_FILES: inDirectory(file),
      RELAYER_KEYSTORE_PASSWORD_FILE: inDirectory(passwordFile),
    };
    const read = () => readRelayerSigners(env, chains);
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(message);
    expect(read).not.toThrow('donkey');
    expect(read).not.toThrow('RELAYER_PRIVATE_KEYS');
  });

  test('without the variable of the password are refused', () => {
    expect(() => readRelayerSigners({ RELAYER_KEYSTORE_FILES: inDirectory('first.json') }, chains)).toThrow(
      'RELAYER_KEYSTORE_PASSWORD_FILE: is required if RELAYER_KEYSTORE_FILES is set',
    );
  });
});

describe('keys of AWS KMS', () => {
  const arn = 'arn:aws:kms:eu-west-1:111122223333:key/mrk-1';
  const readKms = (env: NodeJS.ProcessEnv) =>
    readRelayerSigners(env, [{ chainId: 59141 }]).byChain.get(59141)?.kms;

  test('are where their ARN says, or else the region of the variable', () => {
    const env = { RELAYER_KMS_KEY_IDS: `${arn}, alias/relayer`, RELAYER_KMS_REGION: 'us-east-2' };
    expect(readKms(env)).toEqual([
      { keyId: arn, region: 'eu-west-1', endpoint: undefined },
      { keyId: 'alias/relayer', region: 'us-east-2', endpoint: undefined },
    ]);
  });

  test('take the region of other AWS programs, and the endpoint of the chain', () => {
    const endpoint = 'http://127.0.0.1:4566';
    const env = {
      RELAYER_KMS_KEY_IDS_59141: 'k',
      AWS_REGION: 'eu-west-3',
      RELAYER_KMS_ENDPOINT_59141: endpoint,
    };
    expect(readKms(env)).toEqual([{ keyId: 'k', region: 'eu-west-3', endpoint }]);
  });

  test('without a region are refused', () => {
    expect(() => readKms({ RELAYER_KMS_KEY_IDS: 'alias/relayer' })).toThrow(
      'RELAYER_KMS_REGION: is required for the key alias/relayer',
    );
  });
});

describe('what must not have keys', () => {
  const env = {
    PATH: '/bin',
    ENCRYPTION_KEY: '44',
    RELAYER_MAX_FEE_GWEI: '7',
    RELAYER_PRIVATE_KEYS: first,
    RELAYER_PRIVATE_KEYS_84532: second,
    RELAYER_PRIVATE_KEY: third,
    RELAYER_KEYSTORE_FILES_59141: 'a.json',
    RELAYER_KEYSTORE_PASSWORD_FILE: 'password',
    RELAYER_KMS_KEY_IDS: 'alias/relayer',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_WEB_IDENTITY_TOKEN_FILE: 'token',
  };

  test('is given no variable that leads to one, in whatever spelling', () => {
    const rest = { PATH: '/bin', ENCRYPTION_KEY: '44', RELAYER_MAX_FEE_GWEI: '7' };
    expect(withoutSigners(env)).toEqual(rest);
    const own: NodeJS.ProcessEnv = { ...env };
    forgetSigners(own);
    expect(own).toEqual(rest);
  });

  test('gets from the supervisor what its service needs, and nothing else that is secret', () => {
    const secretsOf = (name: 'api' | 'worker' | 'indexer') =>
      Object.keys(environmentOf(name, env)).filter((variable) => /KEY|AWS|KMS/.test(variable));
    expect(secretsOf('api')).toEqual(['ENCRYPTION_KEY']);
    expect(secretsOf('indexer')).toEqual([]);
    expect(environmentOf('worker', env)).toEqual(env);
  });
});
