import { createConfig, factory } from 'ponder';
import { agreementEngineAbi } from '../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../abis/AgreementFactory.ts';
import { findChain } from '../../src/protocol/chains.ts';

/** The minimal indexer of agreements: the same sources as the service's, and one row per event. */
const chainId = 59141;
const address = findChain(chainId)?.factory;
const event = agreementFactoryAbi.find((item) => item.type === 'event' && item.name === 'AgreementDeployed');
const rpc = process.env.BENCH_RPC_URL;
if (address === undefined || event?.type !== 'event' || rpc === undefined)
  throw new Error('the bare indexer is started by the benchmark');

export default createConfig({
  // Listed as often as a local node is in the service's configuration.
  chains: { local: { id: chainId, rpc: Array.from({ length: 5 }, () => rpc), pollingInterval: 100 } },
  contracts: {
    AgreementFactory: { chain: 'local', abi: agreementFactoryAbi, address, startBlock: 0 },
    AgreementEngine: {
      chain: 'local',
      abi: agreementEngineAbi,
      address: factory({ address, event, parameter: 'agreement' }),
      startBlock: 0,
    },
  },
});
