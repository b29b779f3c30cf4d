import { createConfig, factory } from 'ponder';
import { agreementEngineAbi } from './abis/AgreementEngine.ts';
import { agreementFactoryAbi } from './abis/AgreementFactory.ts';
import { isLocalUrl } from './src/indexer/runtime/isLocalUrl.ts';
import { type ChainConfiguration, readConfiguration } from './src/platform/config/configuration.ts';

/** In a fixed order, whatever the environment's order: the order is part of the index's identity. */
const chains = readConfiguration(process.env).chains.toSorted((a, b) => a.chainId - b.chainId);

const agreementDeployed = agreementFactoryAbi.find(
  (item) => item.type === 'event' && item.name === 'AgreementDeployed',
);
if (agreementDeployed?.type !== 'event')
  throw new Error('the ABI of the factory has no event AgreementDeployed');

/**
 * How often the latest block is requested; with all of its transactions only if it is a new one. Ponder gets
 * no websocket, because then it would not poll: after a start it would wait for the next block, and for ever
 * if the connection is half open.
 */
const pollingIntervalMs = 1_000;
const localPollingIntervalMs = 100;

/**
 * The followed chains, their factories and start blocks; the indexer's entry point has resolved every start
 * block. Everything under `contracts` and `blocks` is part of the identity of the index. URLs are not, and
 * may change between two starts.
 */
export default createConfig({
  chains: byName(({ chainId, rpcUrls }) => ({
    id: chainId,
    rpc: rpcUrls.flatMap(repeatIfLocal),
    pollingInterval: rpcUrls.every(isLocalUrl) ? localPollingIntervalMs : pollingIntervalMs,
  })),
  contracts: {
    AgreementFactory: {
      abi: agreementFactoryAbi,
      chain: byName(({ factory: address, startBlock }) => ({ address, startBlock: resolved(startBlock) })),
    },
    AgreementEngine: {
      abi: agreementEngineAbi,
      chain: byName(({ factory: address, startBlock }) => ({
        address: factory({ address, event: agreementDeployed, parameter: 'agreement' }),
        startBlock: resolved(startBlock),
      })),
    },
  },
  blocks: {
    // Only from the head of the chain on: otherwise the backfill would fetch every single block.
    heads: { interval: 1, chain: byName(() => ({ startBlock: 'latest' as const })) },
  },
});

/**
 * Ponder starts with 20 requests a second per entry, for the sake of public providers. A local node needs no
 * such limit, and with it a restarted indexer would take many seconds to catch up.
 */
function repeatIfLocal(url: string): string[] {
  return isLocalUrl(url) ? Array.from({ length: 5 }, () => url) : [url];
}

function byName<T>(build: (chain: ChainConfiguration) => T): Record<string, T> {
  return Object.fromEntries(chains.map((chain) => [chain.name, build(chain)]));
}

function resolved(startBlock: number | undefined): number {
  if (startBlock === undefined)
    throw new Error('START_BLOCK_<chainId> is not set: start with npm run start:indexer');
  return startBlock;
}
