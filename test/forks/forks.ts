import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { supportedChains } from '../../src/protocol/chains.ts';
import { startPublicChain } from '../support/publicChain.ts';

/**
 * Runs the end-to-end tests with every local chain as a fork of another Anvil. That Anvil has the contracts
 * at the registry's addresses, and older agreements. Words of the command line go to the test runner.
 */
const chains = [];
try {
  const forks: Record<string, string> = {};
  for (const { chainId } of supportedChains('testnet')) {
    const chain = await startPublicChain(chainId);
    chains.push(chain);
    forks[`FORK_URL_${chainId}`] = chain.rpcUrl;
  }
  const runner = spawn('vitest', ['run', '--project', 'e2e', ...process.argv.slice(2)], {
    env: { ...process.env, ...forks },
    stdio: 'inherit',
  });
  const [code] = await once(runner, 'exit');
  process.exitCode = typeof code === 'number' ? code : 1;
} finally {
  for (const chain of chains) await chain.stop();
}
