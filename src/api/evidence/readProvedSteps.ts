import type { Hex } from 'viem';
import type { Pace } from '../../platform/turns/pace.ts';
import { parseReceipt, parseTransaction } from '../../protocol/evidence/blockParts.ts';
import { isEvent } from '../../protocol/evidence/evidenceEvents.ts';
import {
  type EvidenceDeployment,
  type EvidenceTransaction,
  lowerHex,
} from '../../protocol/evidence/evidenceFile.ts';
import { buildDeployMessage, buildInputMessage } from '../../protocol/evidence/evidenceTypedData.ts';
import type { AgreementParameters } from '../../protocol/onChain.ts';
import type { ReadStep } from './collectedEvidence.ts';
import { type Collecting, requireTurn } from './collecting.ts';
import type { EvidenceSize } from './evidenceSize.ts';
import type { IndexedHistory, IndexedPlace } from './evidenceSubject.ts';
import { writeBlock, writeDeployment, writeInput, writeTransaction } from './evidenceText.ts';
import { addMessage, findPermit, type PermitSearch, type PermitSignature } from './findPermit.ts';
import { findPermitPlaces } from './findPermitPlaces.ts';
import type { StoredProof } from './proofStore.ts';
import { BlockGoneError } from './proveBlock.ts';
import { readInOrder } from './readInOrder.ts';
import { readPayloads } from './readPayloads.ts';
import type { StepReplay } from './stepReplay.ts';

/** Parsing and hashing a transaction takes this many times as long as reading it. */
const parsingCost = 2;

/**
 * Reads the transactions in order, plays the steps, and keeps only a file's smaller parts of each. Adds what the
 * file will hold of them to `size`.
 *
 * @throws TurnOverError if the turn ends before the last step.
 * @throws RefusedError `evidence_too_long`, and what `replay` throws.
 */
export async function readProvedSteps(
  collecting: Collecting,
  {
    history,
    parameters,
    places,
    replay,
    size,
    pace,
  }: {
    history: IndexedHistory;
    parameters: AgreementParameters;
    places: readonly IndexedPlace[];
    replay: StepReplay;
    size: EvidenceSize;
    pace: Pace;
  },
) {
  const { source, record } = collecting;
  const { chainId } = record;
  const agreement = lowerHex(record.address);
  const blocks: string[] = [];
  const transactions: { block: number; blockHash: Hex; transactionHash: Hex }[] = [];
  const steps: ReadStep[] = [];
  let deployment: EvidenceDeployment | undefined;
  let isIncluded = true;
  let isReadable = true;
  let next = 0;
  const payloads = readPayloads(source, record, history.steps);
  for await (const stored of readInOrder(source, record, places)) {
    requireTurn(collecting);
    const { blockHash, transactionHash } = stored;
    if (blocks.at(-1) !== stored.block) {
      size.add(writeBlock(blocks.length, stored.block).length);
      blocks.push(stored.block);
    }
    const block = blocks.length - 1;
    const transaction = transactions.push({ block, blockHash, transactionHash }) - 1;
    size.add(writeTransaction(transaction, { block, entry: stored.entry }).length);
    await source.allowance.spend(parsingCost * stored.entry.length);
    const entry = parseEntry(stored);
    isIncluded &&= entry.proof !== null;
    const { to, data, signing } = parseTransaction(entry.raw);
    const { logs } = parseReceipt(entry.receipt);
    if (transaction === 0) {
      const log = logs.findIndex(
        (one) =>
          isEvent(one, 'AgreementDeployed', history.factory) && one.topics[1]?.endsWith(agreement.slice(2)),
      );
      const isDirect = to === history.factory;
      const buildMessage = (one: PermitSignature) =>
        buildDeployMessage(one, { chainId, factory: history.factory, parameters });
      const { permit, isSigned } = await findSignature({
        places: findPermitPlaces({ data, isDirect, kind: 'deployment' }),
        ...{ isSender: isDirect && signing !== undefined, by: history, subject: 'deployment', pace },
        buildMessage,
      });
      isReadable &&= isSigned;
      deployment = { transaction, log, permit: addMessage(permit, buildMessage) };
      size.add(Buffer.byteLength(writeDeployment(deployment)));
    }
    const isDirect = to === agreement;
    const inputPlaces = findPermitPlaces({ data, isDirect, kind: 'input' });
    const own = logs.flatMap((one, at) => (isEvent(one, 'InputAccepted', agreement) ? [at] : []));
    for (const log of own) {
      requireTurn(collecting);
      const step = history.steps[next];
      next++;
      const { value: payload } = await payloads.next();
      if (step?.transactionHash !== stored.transactionHash || !payload) throw new BlockGoneError();
      replay.play(step, payload);
      const { inputId } = step;
      const { permit, isSigned } = await findSignature({
        places: inputPlaces,
        ...{ isSender: isDirect && signing !== undefined, by: step, subject: inputId, pace },
        buildMessage: (one) => buildInputMessage(one, { chainId, agreement, inputId, payload }),
      });
      isReadable &&= isSigned;
      const read = { transaction, log, permit };
      size.add(writeInput(steps.length, { record, indexed: step, step: read, payload }).length);
      steps.push(read);
      await pace.breathe();
    }
    await pace.breathe();
  }
  if (!deployment || next !== history.steps.length) throw new BlockGoneError();
  return { blocks, transactions, deployment, steps, isIncluded, isReadable };
}

/** What shows who wanted a step: the permit within the transaction's data, or else the sender's own signature. */
async function findSignature({
  isSender,
  by: { permitSigner: signer, permitNonce: nonce },
  ...search
}: Omit<PermitSearch, 'signer' | 'nonce'> & {
  /** Whether the transaction's sender took the step and has signed the transaction. */
  isSender: boolean;
  by: Pick<IndexedHistory, 'permitSigner' | 'permitNonce'>;
}): Promise<{ permit: PermitSignature | null; isSigned: boolean }> {
  const permit = signer !== null && nonce !== null ? await findPermit({ ...search, signer, nonce }) : null;
  return { permit, isSigned: signer === null ? isSender : permit !== null };
}

function parseEntry({ entry }: StoredProof): Omit<EvidenceTransaction, 'block'> {
  return JSON.parse(entry);
}
