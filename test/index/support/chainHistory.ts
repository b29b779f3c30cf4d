import { type Address, type Hex, type Log, parseEventLogs } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import type { Row } from './indexRows.ts';
import type { TestChain } from './testChain.ts';

/**
 * The rows that the index must have for a chain. They are computed from the chain's own logs, without code of
 * the indexer. Decoded fields and creating calls appear in no log, so other tests check them.
 */
export async function readExpectedRows(chain: TestChain) {
  const abi = [...agreementFactoryAbi, ...agreementEngineAbi.filter(({ type }) => type === 'event')] as const;
  const all = await chain.client.getLogs({ fromBlock: 0n, toBlock: 'latest' });
  const known = new Set<string>([chain.factory.toLowerCase()]);
  const agreements = new Map<string, AgreementRow>();
  const inputs: MutableRow[] = [];
  const verifiers: Row[] = [];
  const actions: Row[] = [];
  const executions: Row[] = [];
  const counts = new Map<string, { contract: string; signer: string; count: bigint }>();
  const blocks = new Map<bigint, Row>();
  const consume = (contract: string, signer: Address): bigint => {
    const key = `${contract} ${signer}`;
    const entry = counts.get(key) ?? { contract, signer: signer.toLowerCase(), count: 0n };
    entry.count += 1n;
    counts.set(key, entry);
    return entry.count - 1n;
  };

  for (const event of parseEventLogs({ abi, logs: all, strict: true })) {
    if (event.eventName === 'AgreementDeployed' && known.has(event.address)) {
      known.add(event.args.agreement.toLowerCase());
    }
    if (!known.has(event.address)) continue;
    const at = await readPlace(chain, event);
    blocks.set(event.blockNumber, {
      chain_id: chain.chainId,
      number: at.block_number,
      hash: at.block_hash,
      timestamp: at.block_timestamp,
    });
    const contract = event.address;
    const agreement = agreements.get(contract);
    const own = { chain_id: chain.chainId, agreement: contract };
    switch (event.eventName) {
      case 'AgreementDeployed':
        agreements.set(event.args.agreement.toLowerCase(), {
          chain_id: chain.chainId,
          address: event.args.agreement.toLowerCase(),
          factory: contract,
          owner: event.args.owner.toLowerCase(),
          doc_uri: event.args.docUri.replaceAll('\u0000', '\ufffd'),
          doc_hash: event.args.docHash,
          initial_state: null,
          current_state: null,
          ...noPermit,
          input_count: 0,
          transition_count: 0,
          verifier_count: 0,
          action_count: 0,
          ...at,
          updated_block_number: at.block_number,
          updated_block_timestamp: at.block_timestamp,
        });
        break;
      case 'AgreementCreatedWithPermit': {
        const { signer, submitter } = event.args;
        const created = agreements.get(event.args.agreement.toLowerCase());
        if (created) Object.assign(created, permitOf(signer, submitter, consume(contract, signer)));
        break;
      }
      case 'VerifierRegistered':
        if (!agreement) throw new Error('a verifier of no agreement');
        verifiers.push({
          ...own,
          ordinal: agreement.verifier_count++,
          key: event.args.key,
          verifier: event.args.verifier.toLowerCase(),
        });
        break;
      case 'ActionRegistered':
        if (!agreement) throw new Error('an action of no agreement');
        actions.push({
          ...own,
          ordinal: agreement.action_count++,
          from_state: event.args.fromState,
          input_id: event.args.inputId,
          target: event.args.target.toLowerCase(),
          value: event.args.value.toString(),
          data: event.args.data,
        });
        break;
      case 'AgreementInitialized':
        if (!agreement) throw new Error('an initialisation of no agreement');
        agreement.initial_state = event.args.initialState;
        agreement.current_state = event.args.initialState;
        break;
      case 'ActionExecuted':
        if (!agreement) throw new Error('an execution of no agreement');
        executions.push({
          ...own,
          position: agreement.input_count + 1,
          from_state: event.args.fromState,
          to_state: event.args.toState,
          input_id: event.args.inputId,
          target: event.args.target.toLowerCase(),
          transaction_hash: at.transaction_hash,
          block_number: at.block_number,
        });
        break;
      case 'InputAccepted': {
        if (!agreement) throw new Error('an input of no agreement');
        const { fromState, toState, inputId, payload } = event.args;
        const moves = fromState !== toState;
        agreement.input_count += 1;
        if (moves) agreement.transition_count += 1;
        agreement.current_state = toState;
        agreement.updated_block_number = at.block_number;
        agreement.updated_block_timestamp = at.block_timestamp;
        inputs.push({
          ...own,
          position: agreement.input_count,
          input_id: inputId,
          from_state: fromState,
          to_state: toState,
          sequence: moves ? agreement.transition_count : null,
          payload,
          ...noPermit,
          ...at,
          transaction_ordinal: inputs.filter(
            (input) => input.agreement === contract && input.transaction_hash === at.transaction_hash,
          ).length,
        });
        break;
      }
      case 'InputSubmittedWithPermit': {
        const { signer, submitter } = event.args;
        const input = inputs.findLast((candidate) => candidate.agreement === contract);
        if (input) Object.assign(input, permitOf(signer, submitter, consume(contract, signer)));
        break;
      }
    }
  }
  return {
    agreements: sortBy([...agreements.values()], 'address'),
    inputs: sortBy(inputs, 'agreement'),
    verifiers: sortBy(verifiers, 'agreement'),
    actions: sortBy(actions, 'agreement'),
    action_executions: sortBy(executions, 'agreement'),
    permit_counts: [...counts.values()]
      .map(({ contract, signer, count }) => ({
        chain_id: chain.chainId,
        contract,
        signer,
        count: count.toString(),
      }))
      .sort((a, b) => (`${a.contract}${a.signer}` < `${b.contract}${b.signer}` ? -1 : 1)),
    blocks: [...blocks.values()],
  };
}

type MutableRow = Record<string, unknown>;
type AgreementRow = MutableRow & {
  input_count: number;
  transition_count: number;
  verifier_count: number;
  action_count: number;
};

const noPermit = { permit_signer: null, permit_submitter: null, permit_nonce: null };

function permitOf(signer: Address, submitter: Address, nonce: bigint) {
  return {
    permit_signer: signer.toLowerCase(),
    permit_submitter: submitter.toLowerCase(),
    permit_nonce: nonce.toString(),
  };
}

async function readPlace(chain: TestChain, log: Log<bigint, number, false>) {
  const [block, transaction] = await Promise.all([
    chain.client.getBlock({ blockHash: log.blockHash }),
    chain.client.getTransaction({ hash: log.transactionHash }),
  ]);
  return {
    transaction_hash: log.transactionHash,
    transaction_from: transaction.from.toLowerCase() as string,
    transaction_to: transaction.to?.toLowerCase() ?? null,
    log_index: log.logIndex,
    block_number: block.number.toString(),
    block_hash: block.hash satisfies Hex,
    block_timestamp: block.timestamp.toString(),
  };
}

/** Rows of one agreement keep their order. */
function sortBy<T extends MutableRow>(rows: readonly T[], column: string): T[] {
  return [...rows].sort((a, b) => {
    const [left, right] = [String(a[column]), String(b[column])];
    return left === right ? 0 : left < right ? -1 : 1;
  });
}
