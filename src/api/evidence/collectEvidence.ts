import type { Hex } from 'viem';
import { isDeadlock } from '../../platform/database/deadlock.ts';
import { ChainUnavailableError, RefusedError } from '../../platform/errors/serviceError.ts';
import { createPace, type Pace } from '../../platform/turns/pace.ts';
import { listNeededValues } from '../../protocol/evidence/evidenceDocument.ts';
import {
  type EvidenceDeployment,
  type EvidenceNote,
  type EvidenceState,
  type EvidenceValue,
  lowerHex,
} from '../../protocol/evidence/evidenceFile.ts';
import { createReplay } from '../../protocol/evidence/evidenceReplay.ts';
import { compileAgreement, findChain, ValuesError } from '../../protocol/index.ts';
import type { AgreementParameters } from '../../protocol/onChain.ts';
import type { Collecting } from './collecting.ts';
import type { EvidenceSource } from './evidenceSource.ts';
import { type EvidenceRecord, type IndexedHistory, isStillShown, readHistory } from './evidenceSubject.ts';
import { BlockGoneError, readBlock, readHash } from './proveBlock.ts';
import { listPlaces, proveHistory } from './proveHistory.ts';
import { proveState } from './proveState.ts';
import { readPayloads } from './readPayloads.ts';
import { type ReadStep, readProvedSteps } from './readProvedSteps.ts';

/** The content of a file. Transactions, payloads and messages of permits are read again during the writing. */
export type CollectedEvidence = {
  readonly record: EvidenceRecord;
  readonly history: IndexedHistory;
  readonly implementation: Hex;
  readonly values: readonly EvidenceValue[];
  readonly notes: readonly EvidenceNote[];
  /** In order, each JSON. */
  readonly blocks: readonly string[];
  /** In order; `block` is an index into `blocks`. */
  readonly transactions: readonly {
    readonly block: number;
    readonly blockHash: Hex;
    readonly transactionHash: Hex;
  }[];
  readonly deployment: EvidenceDeployment;
  readonly steps: readonly ReadStep[];
  readonly state: EvidenceState | null;
};

const mostAttempts = 5;

/**
 * Collects the proofs of an agreement's history: the events from the index, and the blocks from a node, which
 * are kept. If a reorg changes the history meanwhile, it starts again and reuses what is still right.
 *
 * @throws ChainUnavailableError if the node or the index does not answer, or the chain keeps changing.
 * @throws RefusedError `evidence_too_long`, `values_unknown`, `not_provable`.
 * @throws TurnOverError if its turn ends.
 */
export async function collectEvidence(collecting: Collecting): Promise<CollectedEvidence> {
  for (let attempt = 1; ; attempt++) {
    try {
      const collected = await collectOnce(collecting);
      if (collected) return collected;
    } catch (error) {
      if (!(error instanceof BlockGoneError) && !isDeadlock(error)) throw error;
    }
    if (attempt >= mostAttempts) throw new ChainUnavailableError('The chain changed while it was read.');
    collecting.signal.throwIfAborted();
  }
}

/** @throws RefusedError `values_unknown` if nobody here can know the values, as another contract made the agreement. */
function findValues(agreement: unknown, { docUri, initialVariables }: EvidenceRecord): EvidenceValue[] {
  try {
    return listNeededValues(agreement, docUri, initialVariables);
  } catch (error) {
    if (!(error instanceof ValuesError)) throw error;
    const message =
      'The initial values of the agreement are unknown because another contract deployed it. Without them the document cannot be compared with the contract.';
    throw new RefusedError('values_unknown', message);
  }
}

async function collectOnce(collecting: Collecting): Promise<CollectedEvidence | undefined> {
  const { source, client, record } = collecting;
  const { pool } = source;
  const pace = createPace({ isPatient: true });
  const history = await readHistory(source, record);
  if (!history) throw new ChainUnavailableError('The index does not contain this agreement yet.');
  const places = listPlaces(history);
  await proveHistory(collecting, places, pace);
  const agreement: unknown = JSON.parse(record.document);
  const values = findValues(agreement, record);
  const parameters = compileAgreement(agreement, {
    docUri: record.docUri,
    values: Object.fromEntries(values.map(({ name, value }) => [name, value])),
  });
  const chain = findChain(record.chainId);
  if (!chain) throw new Error(`the chain ${record.chainId} is not supported`);
  const implementation = lowerHex(chain.implementation);
  const read = await readProvedSteps(collecting, { history, parameters, places, pace });
  const head = await readBlock(client, history.head.hash);
  const signers = await listSigners(history, { source, parameters, record, pace });
  const address = lowerHex(record.address);
  const isSoundHead = head.header !== null && read.isIncluded;
  const proved = isSoundHead && (await proveState(client, { address, implementation, block: head, signers }));
  // Later inputs are in later blocks: the state is proved before them.
  const isSteady =
    (await readHash(client, head.number)) === head.hash && (await isStillShown(pool, record, history));
  if (!isSteady) return undefined;
  const blocks = [...read.blocks];
  const { stateRoot: _, ...headBlock } = head;
  const isNewBlock = proved && JSON.stringify(headBlock) !== blocks.at(-1);
  if (isNewBlock) blocks.push(JSON.stringify(headBlock));
  return {
    record,
    history,
    implementation,
    values,
    notes: [
      ...(proved ? [] : ['no_state_proof' as const]),
      ...(read.isIncluded ? [] : ['no_inclusion_proof' as const]),
      ...(read.isReadable ? [] : ['signature_not_readable' as const]),
    ],
    blocks,
    transactions: read.transactions,
    deployment: read.deployment,
    steps: read.steps,
    state: proved ? { block: blocks.length - 1, ...proved } : null,
  };
}

/** The accounts whose nonces are proved, by the verifier's rules. */
async function listSigners(
  history: IndexedHistory,
  {
    source,
    parameters,
    record,
    pace,
  }: { source: EvidenceSource; parameters: AgreementParameters; record: EvidenceRecord; pace: Pace },
): Promise<readonly Hex[]> {
  const replay = createReplay(parameters, history.owner);
  let at = 0;
  for await (const payload of readPayloads(source, record, history.steps)) {
    const step = history.steps[at];
    if (!step) throw new BlockGoneError();
    const { inputId, permitSigner: signer, permitNonce: nonce, time } = step;
    const isDirect = step.transactionTo === lowerHex(record.address);
    replay.play(
      {
        ...{ inputId, payload, time },
        sender: isDirect ? step.transactionFrom : undefined,
        permit:
          signer && nonce !== null ? { signer, nonce: BigInt(nonce), deadline: BigInt(time) } : undefined,
      },
      `inputs[${at}]`,
    );
    at++;
    await pace.breathe();
  }
  return replay.listSigners();
}
