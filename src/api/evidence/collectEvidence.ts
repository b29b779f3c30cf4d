import { isDeadlock } from '../../platform/database/deadlock.ts';
import { ChainUnavailableError, RefusedError } from '../../platform/errors/serviceError.ts';
import { createPace } from '../../platform/turns/pace.ts';
import { listNeededValues } from '../../protocol/evidence/evidenceDocument.ts';
import { type EvidenceNote, type EvidenceValue, lowerHex } from '../../protocol/evidence/evidenceFile.ts';
import { compileAgreement, findChain, ValuesError } from '../../protocol/index.ts';
import type { CollectedEvidence } from './collectedEvidence.ts';
import type { Collecting } from './collecting.ts';
import { createEvidenceSize } from './evidenceSize.ts';
import { type EvidenceRecord, isStillShown, readHistory } from './evidenceSubject.ts';
import { writeBlock, writeEnd, writeHead } from './evidenceText.ts';
import { BlockGoneError, readBlock, readHash } from './proveBlock.ts';
import { listPlaces, proveHistory } from './proveHistory.ts';
import { proveState } from './proveState.ts';
import { readProvedSteps } from './readProvedSteps.ts';
import { createStepReplay } from './stepReplay.ts';

const mostAttempts = 5;

/**
 * Collects the proofs of an agreement's history: the events from the index, and the blocks from a node, which
 * are kept. If a reorg changes the history meanwhile, it starts again and reuses what is still right.
 *
 * @throws ChainUnavailableError if the node or the index does not answer, or the chain keeps changing.
 * @throws RefusedError `evidence_too_long`, `values_unknown`, `not_provable`, `storage_exceeded`.
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

/** @throws RefusedError `values_unknown` if nobody here can know the values, as the creation cannot be read. */
function findValues(agreement: unknown, { docUri, initialVariables }: EvidenceRecord): EvidenceValue[] {
  try {
    return listNeededValues(agreement, docUri, initialVariables);
  } catch (error) {
    if (!(error instanceof ValuesError)) throw error;
    const message =
      'The initial values of the agreement are unknown: another contract deployed it, or its call cannot be read. Without them the document cannot be compared with the contract.';
    throw new RefusedError('values_unknown', message);
  }
}

async function collectOnce(collecting: Collecting): Promise<CollectedEvidence | undefined> {
  const { source, client, record } = collecting;
  const { pool } = source;
  const pace = createPace(source);
  const history = await readHistory(source, record);
  if (!history) throw new ChainUnavailableError('The index does not contain this agreement yet.');
  const places = listPlaces(history);
  await proveHistory(collecting, { history, places, pace });
  const agreement: unknown = JSON.parse(record.document);
  const values = findValues(agreement, record);
  const parameters = compileAgreement(agreement, {
    docUri: record.docUri,
    values: Object.fromEntries(values.map(({ name, value }) => [name, value])),
  });
  const chain = findChain(record.chainId);
  if (!chain) throw new Error(`the chain ${record.chainId} is not supported`);
  const implementation = lowerHex(chain.implementation);
  const replay = createStepReplay(parameters, { record, history });
  const size = createEvidenceSize(source.mostBytes);
  const read = await readProvedSteps(collecting, { history, parameters, places, replay, size, pace });
  const head = await readBlock(client, history.head.hash);
  const address = lowerHex(record.address);
  const isSoundHead = head.header !== null && read.isIncluded;
  const query = { address, implementation, block: head, signers: replay.listSigners() };
  const proved = isSoundHead && (await proveState(collecting, query));
  // Later inputs are in later blocks: the state is proved before them.
  const isSteady =
    (await readHash(client, head.number)) === head.hash && (await isStillShown(pool, record, history));
  if (!isSteady) return undefined;
  const blocks = [...read.blocks];
  const { stateRoot: _, ...headBlock } = head;
  const isNewBlock = proved && JSON.stringify(headBlock) !== blocks.at(-1);
  if (isNewBlock) {
    const block = JSON.stringify(headBlock);
    size.add(writeBlock(blocks.length, block).length);
    blocks.push(block);
  }
  const notes: EvidenceNote[] = [
    ...(proved ? [] : ['no_state_proof' as const]),
    ...(read.isIncluded ? [] : ['no_inclusion_proof' as const]),
    ...(read.isReadable ? [] : ['signature_not_readable' as const]),
  ];
  const state = proved ? { block: blocks.length - 1, ...proved } : null;
  const { transactions, deployment, steps } = read;
  const collected = { record, history, implementation, values, notes };
  size.add(Buffer.byteLength(writeHead(collected, source.publicBaseUrl)) + writeEnd(state).length);
  return { ...collected, blocks, transactions, deployment, steps, state, bytes: size.bytes };
}
