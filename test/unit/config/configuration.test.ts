import { describe, expect, test } from 'vitest';
import { readConfiguration } from '../../../src/platform/config/configuration.ts';
import { ConfigurationError } from '../../../src/platform/config/configurationError.ts';
import { supportedChains } from '../../../src/protocol/chains.ts';

const testnets = supportedChains('testnet').map(({ chainId }) => chainId);
const complete = {
  DATABASE_URL: 'postgres://user:secret@localhost:5432/agreements',
  ...Object.fromEntries(testnets.map((id) => [`RPC_URL_${id}`, `https://${id}.example`])),
};

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfiguration(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('readConfiguration', () => {
  test("unset variables have the specification's defaults", () => {
    expect(readConfiguration(complete)).toMatchObject({
      environment: 'testnet',
      host: '127.0.0.1',
      port: 3000,
      publicBaseUrl: 'http://127.0.0.1:3000',
    });
    const { chains } = readConfiguration(complete);
    expect(chains.map(({ chainId }) => chainId)).toEqual(testnets);
    expect(chains).toMatchObject([
      { chainId: 59141, confirmations: 1, factory: '0x26Ff3AdEC23fC5778f190371B1CcCadDa74e26c8' },
      { chainId: 11155111, confirmations: 3, factory: '0x76dAA59C02d902e7063E6328D2E64ACee6CC121e' },
      { chainId: 84532, confirmations: 1, factory: '0x76dAA59C02d902e7063E6328D2E64ACee6CC121e' },
      ...testnets.slice(3).map((chainId) => ({ chainId })),
    ]);
  });

  test('every fault is named at once, with its variable', () => {
    const faulty = { CHAINS: '59141,11155111,84532', PORT: '99999', RPC_URL_59141: 'ftp://x' };
    expect(problemsOf({ ...faulty, CONFIRMATIONS_84532: '0' })).toEqual([
      'DATABASE_URL: is required',
      'PORT: expected a port',
      'RPC_URL_59141: expected a URL that starts with http:// or https://',
      'RPC_URL_11155111: is required',
      'RPC_URL_84532: is required',
      'CONFIRMATIONS_84532: expected 1 or more',
    ]);
  });

  test('an empty variable counts as one that is not set', () => {
    expect(readConfiguration({ ...complete, PORT: '', START_BLOCK_59141: '' })).toMatchObject({ port: 3000 });
    expect(problemsOf({ ...complete, DATABASE_URL: '' })).toEqual(['DATABASE_URL: is required']);
  });

  test('several endpoints of a chain keep their order', () => {
    const { chains } = readConfiguration({
      ...complete,
      CHAINS: '84532',
      RPC_URL_84532: 'https://first.example, https://second.example/key',
    });
    expect(chains).toHaveLength(1);
    expect(chains[0].rpcUrls).toEqual(['https://first.example', 'https://second.example/key']);
  });

  test('only the chosen chains need endpoints', () => {
    const env = {
      DATABASE_URL: complete.DATABASE_URL,
      RPC_URL_84532: 'https://base.example',
      CHAINS: '84532',
    };
    expect(readConfiguration(env).chains.map(({ chainId }) => chainId)).toEqual([84532]);
  });

  test('a chain of the other environment is refused', () => {
    expect(problemsOf({ ...complete, CHAINS: '8453' })).toEqual([
      `CHAINS: 8453 is not a chain of the testnet environment (${testnets.join(', ')})`,
    ]);
  });

  test.each(['084532', '0x14a34', '84532.0'])('a chain is named in one form only, not as %s', (text) => {
    expect(problemsOf({ ...complete, CHAINS: `84532,${text}` })).toEqual([
      `CHAINS: ${text} is not a chain of the testnet environment (${testnets.join(', ')})`,
    ]);
  });

  test('a time that no timer can keep, or that ends before any answer, is refused', () => {
    expect(problemsOf({ ...complete, DEPLOY_WAIT_MS: '2147483648', RPC_TIMEOUT_MS: '0' })).toEqual([
      'DEPLOY_WAIT_MS: expected at most 2147483647',
      'RPC_TIMEOUT_MS: expected 1 or more',
    ]);
    expect(readConfiguration({ ...complete, DEPLOY_WAIT_MS: '2147483647' }).limits).toMatchObject({
      deployWaitMs: 2_147_483_647,
    });
  });

  test('a factory address with a wrong checksum is refused, and one in lower case gets its checksum', () => {
    const wrong = '0x26ff3AdEC23fC5778f190371B1CcCadDa74e26c8';
    expect(problemsOf({ ...complete, FACTORY_ADDRESS_59141: wrong })).toEqual([
      'FACTORY_ADDRESS_59141: expected an address: lower case or with a correct checksum',
    ]);
    const { chains } = readConfiguration({ ...complete, FACTORY_ADDRESS_59141: wrong.toLowerCase() });
    expect(chains[0].factory).toBe('0x26Ff3AdEC23fC5778f190371B1CcCadDa74e26c8');
  });

  test('the public address loses its trailing slashes', () => {
    const { publicBaseUrl } = readConfiguration({ ...complete, PUBLIC_BASE_URL: 'https://api.example/v//' });
    expect(publicBaseUrl).toBe('https://api.example/v');
  });
});

test('a node whose password cannot be decoded is refused at the start', () => {
  const env = { ...complete, RPC_URL_59141: 'https://user:100%25@node.example' };
  expect(() => readConfiguration(env)).not.toThrow();
  expect(problemsOf({ ...env, RPC_URL_59141: 'none' })).toHaveLength(1);
  for (const credentials of ['user:100%', 'user%:25'])
    expect(() => readConfiguration({ ...env, RPC_URL_59141: `https://${credentials}@node.example` })).toThrow(
      'RPC_URL_59141: expected a percent-encoded user and password, with %25 for a % itself',
    );
});
