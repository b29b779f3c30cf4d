import { join } from 'node:path';
import { type Address, createPublicClient, createTestClient, http, parseEther } from 'viem';
import { deployProtocol } from '../../../contracts-test/deploy.ts';
import type { Chain } from '../../protocol/chains.ts';
import { type Anvil, type AnvilFork, startAnvil } from '../devtools/anvil.ts';
import { findFreePort } from '../devtools/freePort.ts';
import { startLogFile } from '../devtools/logFile.ts';
import type { DevDirectory } from './devDirectory.ts';

const relayerBalance = parseEther('1000');
const lowBalance = parseEther('100');

/** A local chain in place of a public one, or a fork of it, with the protocol at the registry's addresses. */
export type DevChain = {
  chain: Chain;
  anvil: Anvil;
  /** The last block of the public chain; null if the chain is entirely local. */
  forkedAt: number | null;
};

/**
 * Starts the local chain, or resumes it, and funds the relayers. If it is not a fork, places the contracts.
 * Mines no block.
 */
export async function startDevChain(options: {
  chain: Chain;
  wantedPort: number;
  relayers: readonly Address[];
  directory: DevDirectory;
  fork: AnvilFork | undefined;
  /** The public test accounts, whose code is removed: on public chains some of them were given code. */
  accounts: readonly Address[];
}): Promise<DevChain> {
  const { chain, wantedPort, relayers, directory, fork, accounts } = options;
  const { chainId, factory, implementation } = chain;
  const logFile = join(directory.logs, `anvil-${chainId}.log`);
  startLogFile(logFile);
  const stateFile = join(directory.chains, `${chainId}.json`);
  const start = (port: number) => startAnvil({ chainId, port, stateFile, logFile, fork });
  // A free port may be taken before Anvil listens; any other port is fine too.
  const anvil = await start(await findFreePort(wantedPort)).catch((error: unknown) => {
    if (error instanceof Error && error.message.includes('Address already in use')) return start(0);
    throw error;
  });
  const { rpcUrl } = anvil;
  if (fork) await clearCode(rpcUrl, accounts);
  else await deployProtocol({ rpcUrl, chainId, factory, implementation });
  for (const address of relayers) await fund(rpcUrl, address);
  return { chain, anvil, forkedAt: fork?.blockNumber ?? null };
}

export function readLatestBlock({ anvil }: DevChain): Promise<bigint> {
  return createPublicClient({ transport: http(anvil.rpcUrl) }).getBlockNumber({ cacheTime: 0 });
}

async function clearCode(rpcUrl: string, accounts: readonly Address[]): Promise<void> {
  const client = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
  for (const address of accounts) await client.setCode({ address, bytecode: '0x' });
}

/** Only low balances: setting a balance below the need of a pending transaction would drop that transaction. */
async function fund(rpcUrl: string, address: Address): Promise<void> {
  const transport = http(rpcUrl);
  if ((await createPublicClient({ transport }).getBalance({ address })) >= lowBalance) return;
  await createTestClient({ mode: 'anvil', transport }).setBalance({ address, value: relayerBalance });
}
