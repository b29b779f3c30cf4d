import { privateKeyToAccount } from 'viem/accounts';
import { AgreementsClient } from '../../../client/src/index.ts';
import { findDevDirectory } from '../dev/devDirectory.ts';
import { findRunningDevStack } from '../dev/devStack.ts';
import { describePlayed } from './describePlayed.ts';
import { findDifferences } from './findDifferences.ts';
import { playScenario } from './playScenario.ts';
import { scenarios } from './scenarios.ts';

/** Plays every scenario against the running development stack; returns the exit code. */
async function runDemo(): Promise<number> {
  const stack = findRunningDevStack(findDevDirectory(process.env));
  if (!stack) {
    console.error('No development stack is running here: start one with npm run dev, in another terminal.');
    return 1;
  }
  // The last two accounts, so that users who experiment with the first accounts do not collide with the
  // demo's nonces.
  const [author, partner] = stack.accounts.slice(-2).map(({ privateKey }) => privateKeyToAccount(privateKey));
  if (!author || !partner) throw new Error('the stack has fewer than two accounts');
  const parties = { author, partner };
  const service = new AgreementsClient(stack);
  console.log(`Playing ${scenarios.length} agreements through ${stack.baseUrl}\n`);
  let differing = 0;
  for (const scenario of scenarios) {
    const played = await playScenario({ scenario, stack, service, parties });
    const differences = findDifferences(played, parties);
    const name = stack.chains.find(({ chainId }) => chainId === scenario.chainId)?.name ?? '';
    console.log(describePlayed(played, name, differences));
    if (differences.length > 0) differing += 1;
  }
  if (differing === 0) console.log('Service and contracts tell the same story of every agreement.');
  else console.log(`Service and contracts differ on ${differing} of ${scenarios.length} agreements.`);
  return differing === 0 ? 0 : 1;
}

try {
  process.exitCode = await runDemo();
} catch (error) {
  console.error(`The demo broke off: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
