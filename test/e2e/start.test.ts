import { createTestClient, http, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployProtocol } from '../../contracts-test/deploy.ts';
import { type Anvil, startAnvil } from '../../src/cli/devtools/anvil.ts';
import { findFreePort } from '../../src/cli/devtools/freePort.ts';
import { findProcess } from '../../src/platform/supervision/processIdentity.ts';
import { chains } from '../../src/protocol/index.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type Program, startProgram } from './support/program.ts';

const chain = chains.find(({ chainId }) => chainId === 84532);
if (!chain) throw new Error('the registry lacks Base Sepolia');

let anvil: Anvil;
let testDatabase: TestDatabase;
let env: Record<string, string>;
const started: Program[] = [];

beforeAll(async () => {
  [anvil, testDatabase] = await Promise.all([startAnvil({ chainId: chain.chainId }), createTestDatabase()]);
  await deployProtocol({ rpcUrl: anvil.rpcUrl, ...chain });
  const relayer = generatePrivateKey();
  const client = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
  await client.setBalance({ address: privateKeyToAddress(relayer), value: parseEther('10') });
  env = {
    CHAINS: String(chain.chainId),
    DATABASE_URL: testDatabase.url,
    [`RPC_URL_${chain.chainId}`]: anvil.rpcUrl,
    RELAYER_PRIVATE_KEYS: relayer,
    PORT: String(await findFreePort()),
    INDEXER_PORT: String(await findFreePort()),
  };
});
afterAll(async () => {
  for (const program of started) {
    if (!program.hasEnded()) program.signal('SIGTERM');
    await program.exited;
  }
  await testDatabase?.drop();
  await anvil?.stop();
});

function start(changes: Record<string, string>): Program {
  const program = startProgram('all', { env: { ...env, ...changes } });
  started.push(program);
  return program;
}

describe('npm start', () => {
  test.each([
    ['a database is missing', { DATABASE_URL: '' }, 'DATABASE_URL: is required'],
    ['a chain has no endpoint', { CHAINS: '84532,59141' }, 'RPC_URL_59141: is required'],
    [
      'a relayer key is no key',
      { RELAYER_PRIVATE_KEYS: '0x12' },
      'RELAYER_PRIVATE_KEYS, key 1: is not a private key',
    ],
    ['an encryption key is no key', { ENCRYPTION_KEY: 'abc' }, 'ENCRYPTION_KEY: expected 64 hex digits'],
    ['there is no relayer key', { RELAYER_PRIVATE_KEYS: '' }, 'RELAYER_PRIVATE_KEYS: is required'],
  ])('where %s it says so and starts nothing', async (_, changes, message) => {
    const program = start(changes);
    expect(await program.exited).toEqual({ code: 1, signal: null });
    expect(program.lines.join('\n')).toContain(message);
    // One message, no stack trace, and no log line of a started process.
    expect(program.lines.join('\n')).not.toMatch(/\n\s+at |"childPid"/);
  });

  test('runs the service until it is asked to stop, and leaves nothing behind', async () => {
    const { program, childPids } = await startHealthy({});
    program.signal('SIGTERM');
    expect(await program.exited).toEqual({ code: 0, signal: null });
    expect(childPids.map((pid) => findProcess(pid))).toEqual([null, null, null]);
  });

  test('ends in the same way, and starts nothing again, if all of its processes are asked to stop at once', async () => {
    // Worker and indexer end long before their turn.
    const { program, childPids } = await startHealthy({ SHUTDOWN_GRACE_MS: '3000' });
    for (const pid of [program.pid, ...childPids]) process.kill(pid, 'SIGTERM');
    expect(await program.exited).toEqual({ code: 0, signal: null });
    expect(childPids.map((pid) => findProcess(pid))).toEqual([null, null, null]);
    expect(program.lines.filter((line) => line.includes('is started again'))).toEqual([]);
  });
});

/** Starts the service, and returns once it answers. */
async function startHealthy(changes: Record<string, string>) {
  const program = start(changes);
  const url = `http://127.0.0.1:${env.PORT}/v0/health`;
  await waitUntil('the service is healthy', async () => {
    if (program.hasEnded()) throw new Error(program.lines.join('\n'));
    return fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  const readPids = () =>
    program.lines.flatMap((line) => /"childPid":(\d+)/.exec(line)?.[1] ?? []).map(Number);
  await waitUntil('every process has been told of', () => readPids().length >= 3);
  const childPids = readPids();
  expect(childPids.map((pid) => findProcess(pid) !== null)).toEqual([true, true, true]);
  return { program, childPids };
}
