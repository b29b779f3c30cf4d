import { type Address, getAbiItem, getAddress, type Hex, parseEventLogs } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import type { ServiceStack } from '../../support/serviceStack.ts';

export type ChainInput = { agreement: Address; payload: Hex; from: Hex; to: Hex; txHash: Hex };

/** All inputs that agreements have accepted, in the chain's order. */
export async function readInputs({ client }: Pick<ServiceStack, 'client'>): Promise<ChainInput[]> {
  const event = getAbiItem({ abi: agreementEngineAbi, name: 'InputAccepted' });
  const logs = await client.getLogs({ event, fromBlock: 0n });
  return parseEventLogs({ abi: [event], logs }).map(({ address, args, transactionHash }) => ({
    agreement: getAddress(address),
    payload: args.payload,
    from: args.fromState,
    to: args.toState,
    txHash: transactionHash,
  }));
}
