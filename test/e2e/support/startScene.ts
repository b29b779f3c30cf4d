import { createTestClient, http, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect } from 'vitest';
import { deployProtocol } from '../../../contracts-test/deploy.ts';
import { startAnvil } from '../../../src/cli/devtools/anvil.ts';
import { findFreePort } from '../../../src/cli/devtools/freePort.ts';
import { findProcess } from '../../../src/platform/supervision/processIdentity.ts';
import { chains } from '../../../src/protocol/index.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { type Program, startProgram } from './program.ts';

export type StartScene = Awaited<ReturnType<typeof openStartScene>>;

/** A chain, an empty database, and the settings with which `npm start` serves them. */
export async function openStartScene() {
  const chain = chains.find(({ chainId }) => chainId === 84532);
  if (!chain) throw new Error('the registry lacks Base Sepolia');
  const [anvil, testDatabase] = await Promise.all([
    startAnvil({ chainId: chain.chainId }),
    createTestDatabase(),
  ]);
  await deployProtocol({ rpcUrl: anvil.rpcUrl, ...chain });
  const relayer = generatePrivateKey();
  const client = createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) });
  await client.setBalance({ address: privateKeyToAddress(relayer), value: parseEther('10') });
  const env: Record<string, string> = {
    CHAINS: String(chain.chainId),
    DATABASE_URL: testDatabase.url,
    [`RPC_URL_${chain.chainId}`]: anvil.rpcUrl,
    RELAYER_PRIVATE_KEYS: relayer,
    PORT: String(await findFreePort()),
    INDEXER_PORT: String(await findFreePort()),
  };
  const started: Program[] = [];
  const start = (changes: Record<string, string>): Program => {
    const program = startProgram('all', { env: { ...env, ...changes } });
    started.push(program);
    return program;
  };
  return {
    start,
    databaseUrl: testDatabase.url,
    /** Starts the service, and returns once it answers. */
    async startHealthy(changes: Record<string, string> = {}) {
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
    },
    async close(): Promise<void> {
      for (const program of started) {
        if (!program.hasEnded()) program.signal('SIGTERM');
        await program.exited;
      }
      await testDatabase.drop();
      await anvil.stop();
    },
  };
}
