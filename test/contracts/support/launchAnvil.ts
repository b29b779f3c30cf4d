import { startAnvil } from '../../../src/cli/devtools/anvil.ts';

/** Starts an Anvil, prints its address, and waits to be killed: `launchAnvil.ts CHAIN_ID STATE_FILE`. */
const [, , chainId, stateFile = ''] = process.argv;
const { rpcUrl } = await startAnvil({ chainId: Number(chainId), stateFile });
console.log(rpcUrl);
