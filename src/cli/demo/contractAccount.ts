import { type Address, type Hex, isAddressEqual, type PublicClient, parseEventLogs } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { inputName, stateName } from '../../protocol/index.ts';

/** One accepted input, from the contract's own events. */
export type AcceptedInput = {
  inputId: string;
  fromState: string;
  toState: string;
  payload: Hex;
  txHash: Hex;
  blockNumber: bigint;
  /** The permit's signer; null if the sender called the contract directly. */
  signer: Address | null;
};

/** An agreement's on-chain data, read without the service. */
export type ContractAccount = { state: string; inputs: AcceptedInput[]; nonces: Map<Address, bigint> };

/**
 * Reads state, events and nonces from the contract. Names come from the document; values without a name stay
 * hashes.
 */
export async function readContractAccount(options: {
  client: PublicClient;
  address: Address;
  agreement: unknown;
  signers: readonly Address[];
}): Promise<ContractAccount> {
  const { client, address, agreement, signers } = options;
  const contract = { address, abi: agreementEngineAbi } as const;
  const currentState = await client.readContract({ ...contract, functionName: 'currentState' });
  const events = await client.getLogs({ address, fromBlock: 0n });
  const logs = parseEventLogs({ abi: agreementEngineAbi, logs: events });
  const nonces = new Map<Address, bigint>();
  for (const signer of signers) {
    nonces.set(signer, await client.readContract({ ...contract, functionName: 'nonces', args: [signer] }));
  }
  const nameState = (hash: Hex) => stateName(agreement, hash) ?? hash;
  const inputs = logs.flatMap((log, at) => {
    if (log.eventName !== 'InputAccepted' || !isAddressEqual(log.address, address)) return [];
    const next = logs[at + 1];
    const permit = next?.eventName === 'InputSubmittedWithPermit' ? next : null;
    return {
      inputId: inputName(agreement, log.args.inputId) ?? log.args.inputId,
      fromState: nameState(log.args.fromState),
      toState: nameState(log.args.toState),
      payload: log.args.payload,
      txHash: log.transactionHash,
      blockNumber: log.blockNumber,
      signer: permit?.transactionHash === log.transactionHash ? permit.args.signer : null,
    };
  });
  return { state: nameState(currentState), inputs, nonces };
}
