import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildDevEnvironment, readDevVariables } from '../../../src/cli/dev/devEnvironment.ts';
import { readConfiguration } from '../../../src/platform/config/configuration.ts';
import { readRelayerSigners } from '../../../src/platform/config/relayerSigners.ts';
import { readWebhookSettings } from '../../../src/platform/config/webhookSettings.ts';
import { supportedChains } from '../../../src/protocol/chains.ts';

const key = `0x${'11'.repeat(32)}` as const;

const testnets = supportedChains('testnet');

function build(env: NodeJS.ProcessEnv) {
  const chains = testnets.map((chain, ordinal) => ({
    chain,
    forkedAt: ordinal === 2 ? 4_000 : null,
    anvil: { rpcUrl: `http://127.0.0.1:${9000 + ordinal}` },
  }));
  return buildDevEnvironment({
    env,
    environment: 'testnet',
    databaseUrl: 'postgres://localhost/dev',
    ports: { api: 3001, indexer: 42_070, apiInternal: 9_466, workerInternal: 9_467 },
    chains,
    relayerKeys: [key],
    encryptionKey: '44'.repeat(32),
  });
}

test('a development stack never talks to the chains and wallets that the environment names', () => {
  const environment = build({
    ENVIRONMENT: 'production',
    CHAINS: '8453',
    RPC_URL_59141: 'https://linea.example',
    FACTORY_ADDRESS_59141: `0x${'22'.repeat(20)}`,
    RELAYER_PRIVATE_KEYS_84532: `0x${'33'.repeat(32)}`,
  });
  const configuration = readConfiguration(environment);
  expect(configuration.environment).toBe('testnet');
  expect(configuration.chains.flatMap(({ rpcUrls }) => rpcUrls)).toEqual(
    testnets.map((_, ordinal) => `http://127.0.0.1:${9000 + ordinal}`),
  );
  expect(configuration.chains[0].factory).toBe('0x26Ff3AdEC23fC5778f190371B1CcCadDa74e26c8');
  const keys = readRelayerSigners(environment, configuration.chains).byChain;
  expect([...keys.values()].map((chain) => chain.keys)).toEqual(testnets.map(() => [key]));
});

test('secrets may be files, except those of chains and wallets, which are not read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agreements-dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const variables = readDevVariables({
    DATABASE_URL_FILE: write('url', 'postgres://db/mine\n'),
    ENCRYPTION_KEY_FILE: write('key', '55'.repeat(32)),
    RELAYER_PRIVATE_KEYS_FILE: join(folder, 'absent'),
    RPC_URL_59141_FILE: join(folder, 'absent'),
    START_BLOCK_84532: '70',
  });
  expect(variables).toEqual({
    DATABASE_URL: 'postgres://db/mine',
    ENCRYPTION_KEY: '55'.repeat(32),
    START_BLOCK_84532: '70',
  });
  const environment = build(variables);
  expect(environment).toMatchObject({
    DATABASE_URL: 'postgres://localhost/dev',
    ENCRYPTION_KEY: '55'.repeat(32),
  });
  expect(Object.keys(environment).filter((name) => name.endsWith('_FILE'))).toEqual([]);
});

test('one confirmation counts on every chain, and other settings of the environment are kept', () => {
  const { chains, logLevel, port } = readConfiguration(
    build({ CONFIRMATIONS_11155111: '9', LOG_LEVEL: 'debug' }),
  );
  expect(chains.map(({ confirmations }) => confirmations)).toEqual(testnets.map(() => 1));
  expect({ logLevel, port }).toEqual({ logLevel: 'debug', port: 3001 });
});

test('the rate limits are raised unless the environment names them, and the encryption key is only lent', () => {
  const { limits } = readConfiguration(build({ RATE_LIMIT_READS: '7' }));
  expect(limits.rates.read).toEqual({ perSecond: 7, burst: 14 });
  expect(limits.rates.write.perSecond).toBeGreaterThanOrEqual(1_000);
  expect(build({}).ENCRYPTION_KEY).toBe('44'.repeat(32));
  expect(build({ ENCRYPTION_KEY: '55'.repeat(32) }).ENCRYPTION_KEY).toBe('55'.repeat(32));
});

test("a local chain is indexed from its first block, a fork from the fork's block or as configured", () => {
  const startBlocks = (env: NodeJS.ProcessEnv) =>
    readConfiguration(build(env)).chains.map(({ startBlock }) => startBlock);
  const others = testnets.slice(3).map(() => 0);
  expect(startBlocks({ START_BLOCK_59141: '70' })).toEqual([0, 0, 4_000, ...others]);
  expect(startBlocks({ START_BLOCK_84532: '70' })).toEqual([0, 0, 70, ...others]);
});

test('webhooks may go to this machine, or as configured', () => {
  expect(readWebhookSettings(build({})).allowedTargets).toEqual(['localhost', '127.0.0.0/8', '::1']);
  const named = build({ WEBHOOK_ALLOWED_TARGETS: '10.1.0.0/16' });
  expect(readWebhookSettings(named).allowedTargets).toEqual(['10.1.0.0/16']);
});
