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
import type { Collecting } from './collecting.ts';
import type { IndexedHistory, IndexedPlace } from './evidenceSubject.ts';
import { addMessage, findPermit, type PermitSearch, type PermitSignature } from './findPermit.ts';
import { findPermitPlaces } from './findPermitPlaces.ts';
import type { StoredProof } from './proofStore.ts';
import { BlockGoneError } from './proveBlock.ts';
import { readInOrder } from './readInOrder.ts';
import { readPayloads } from './readPayloads.ts';

/** A step without its payload, also in its permit: the payloads of a history may have hundreds of megabytes. */
export type ReadStep = {
  /** Index into the transactions. */
  readonly transaction: number;
  readonly log: number;
  readonly permit: PermitSignature | null;
};

/** Parsing and hashing a transaction takes this many times as long as reading it. */
const parsingCost = 2;

/** Reads the transactions in order, and keeps only a file's smaller parts of each. */
export async function readProvedSteps(
  { source, record, signal }: Collecting,
  {
    history,
    parameters,
    places,
    pace,
  }: {
    history: IndexedHistory;
    parameters: AgreementParameters;
    places: readonly IndexedPlace[];
    pace: Pace;
  },
) {
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
    signal.throwIfAborted();
    const { blockHash, transactionHash } = stored;
    if (blocks.at(-1) !== stored.block) blocks.push(stored.block);
    const transaction = transactions.push({ block: blocks.length - 1, blockHash, transactionHash }) - 1;
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
    }
    const isDirect = to === agreement;
    const inputPlaces = findPermitPlaces({ data, isDirect, kind: 'input' });
    const own = logs.flatMap((one, at) => (isEvent(one, 'InputAccepted', agreement) ? [at] : []));
    for (const log of own) {
      const step = history.steps[next];
      next++;
      const { value: payload } = await payloads.next();
      if (step?.transactionHash !== stored.transactionHash || !payload) throw new BlockGoneError();
      const { inputId } = step;
      const { permit, isSigned } = await findSignature({
        places: inputPlaces,
        ...{ isSender: isDirect && signing !== undefined, by: step, subject: inputId, pace },
        buildMessage: (one) => buildInputMessage(one, { chainId, agreement, inputId, payload }),
      });
      isReadable &&= isSigned;
      steps.push({ transaction, log, permit });
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
