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

/** A local chain that stands for a public one, or continues it, with the protocol where the registry has it. */
export type DevChain = {
  chain: Chain;
  anvil: Anvil;
  /** The last block that is the public chain's own; null where all of it is local. */
  forkedAt: number | null;
};

/**
 * Starts the local chain, or takes it up where it was stopped, and fills up the relayers. Where it is no fork, the contracts are
 * put in place. None of it mines a block.
 */
export async function startDevChain(options: {
  chain: Chain;
  wantedPort: number;
  relayers: readonly Address[];
  directory: DevDirectory;
  fork: AnvilFork | undefined;
  /** Accounts for everybody's use, which have no code: on public chains others have given them some. */
  accounts: readonly Address[];
}): Promise<DevChain> {
  const { chain, wantedPort, relayers, directory, fork, accounts } = options;
  const { chainId, factory, implementation } = chain;
  const logFile = join(directory.logs, `anvil-${chainId}.log`);
  startLogFile(logFile);
  const stateFile = join(directory.chains, `${chainId}.json`);
  const start = (port: number) => startAnvil({ chainId, port, stateFile, logFile, fork });
  // A port that is free now may be taken by the time that Anvil listens: any other does as well.
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

/** The number of the chain's latest block. */
export function readLatestBlock({ anvil }: DevChain): Promise<bigint> {
  return createPublicClient({ transport: http(anvil.rpcUrl) }).getBlockNumber({ cacheTime: 0 });
}

async function clearCode(rpcUrl: string, accounts: readonly Address[]): Promise<void> {
  const client = createTestClient({ mode: 'anvil', transport: http(rpcUrl) });
  for (const address of accounts) await client.setCode({ address, bytecode: '0x' });
}

/** Only what has run low, since setting a balance below what a pending transaction needs would drop that. */
async function fund(rpcUrl: string, address: Address): Promise<void> {
  const transport = http(rpcUrl);
  if ((await createPublicClient({ transport }).getBalance({ address })) >= lowBalance) return;
  await createTestClient({ mode: 'anvil', transport }).setBalance({ address, value: relayerBalance });
}
