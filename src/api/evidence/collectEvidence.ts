import type pg from 'pg';
import type { Hex, PublicClient } from 'viem';
import { ChainUnavailableError, RefusedError } from '../../platform/errors/serviceError.ts';
import { createPace, type Pace } from '../../platform/turns/pace.ts';
import { parseReceipt, parseTransaction } from '../../protocol/evidence/blockParts.ts';
import { listNeededValues } from '../../protocol/evidence/evidenceDocument.ts';
import { isEvent } from '../../protocol/evidence/evidenceEvents.ts';
import {
  type EvidenceNote,
  type EvidencePermit,
  type EvidenceState,
  type EvidenceTransaction,
  type EvidenceValue,
  lowerHex,
} from '../../protocol/evidence/evidenceFile.ts';
import { createReplay } from '../../protocol/evidence/evidenceReplay.ts';
import { buildDeployMessage, buildInputMessage } from '../../protocol/evidence/evidenceTypedData.ts';
import { compileAgreement, findChain, ValuesError } from '../../protocol/index.ts';
import type { AgreementParameters } from '../../protocol/onChain.ts';
import {
  type EvidenceRecord,
  type IndexedHistory,
  type IndexedPlace,
  readHistory,
} from './evidenceSubject.ts';
import { findPermit } from './findPermit.ts';
import { findProved, readProved, type StoredProof, storeProved } from './proofStore.ts';
import { BlockGoneError, proveBlock, readBlock, readHash } from './proveBlock.ts';
import { proveState } from './proveState.ts';
import { readBatched } from './readBatched.ts';
import { readPayloads } from './readPayloads.ts';

/** The content of a file; the transactions themselves are read again during the writing. */
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
  readonly deployment: { readonly log: number; readonly permit: EvidencePermit | null };
  readonly steps: readonly {
    readonly transaction: number;
    readonly log: number;
    readonly permit: EvidencePermit | null;
  }[];
  readonly state: EvidenceState | null;
};

export type Collecting = {
  readonly pool: pg.Pool;
  readonly client: PublicClient;
  readonly record: EvidenceRecord;
  /** Called with the number of proved blocks and of all blocks. */
  onProgress(done: number, total: number): void;
  readonly signal: AbortSignal;
};

/** Concurrent blocks: one is fetched while another is proved. */
const blocksAtOnce = 2;
const mostAttempts = 5;

/**
 * Collects the proofs of an agreement's history: the events from the index, and the blocks from a node, which
 * are kept. If a reorg changes the history meanwhile, it starts again and reuses what is still right.
 *
 * @throws ChainUnavailableError where the node or the index does not answer, or the chain does not come to rest.
 */
export async function collectEvidence(collecting: Collecting): Promise<CollectedEvidence> {
  for (let attempt = 1; ; attempt++) {
    try {
      const collected = await collectOnce(collecting);
      if (collected) return collected;
    } catch (error) {
      if (!(error instanceof BlockGoneError)) throw error;
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
  const { pool, client, record } = collecting;
  const pace = createPace({ isPatient: true });
  const history = await readHistory(pool, record);
  if (!history) throw new ChainUnavailableError('The index does not contain this agreement yet.');
  const places = listPlaces(history);
  await proveAll(collecting, places, pace);
  const agreement: unknown = JSON.parse(record.document);
  const values = findValues(agreement, record);
  const parameters = compileAgreement(agreement, {
    docUri: record.docUri,
    values: Object.fromEntries(values.map(({ name, value }) => [name, value])),
  });
  const chain = findChain(record.chainId);
  if (!chain) throw new Error(`the chain ${record.chainId} is not supported`);
  const implementation = lowerHex(chain.implementation);
  const read = await readSteps(collecting, { history, parameters, places, pace });
  const head = await readBlock(client, history.head.hash);
  const signers = await listSigners(history, { pool, parameters, record, pace });
  const address = lowerHex(record.address);
  const isSoundHead = head.header !== null && read.isIncluded;
  const proved = isSoundHead && (await proveState(client, { address, implementation, block: head, signers }));
  const isSteady =
    (await readHash(client, head.number)) === head.hash &&
    isSameHistory(history, await readHistory(pool, record));
  if (!isSteady) return undefined;
  const blocks = [...read.blocks];
  const { stateRoot: _, ...headBlock } = head;
  const isNewBlock = proved && JSON.stringify(headBlock) !== blocks.at(-1);
  if (isNewBlock) blocks.push(JSON.stringify(headBlock));
  const isReadable = [read.deployment, ...read.steps].every(({ isSigned }) => isSigned);
  return {
    record,
    history,
    implementation,
    values,
    notes: [
      ...(proved ? [] : ['no_state_proof' as const]),
      ...(read.isIncluded ? [] : ['no_inclusion_proof' as const]),
      ...(isReadable ? [] : ['signature_not_readable' as const]),
    ],
    blocks,
    transactions: read.transactions,
    deployment: read.deployment,
    steps: read.steps,
    state: proved ? { block: blocks.length - 1, ...proved } : null,
  };
}

/** Each transaction once, in the order of the chain. */
function listPlaces({ deployment, steps }: IndexedHistory): IndexedPlace[] {
  const all = [deployment, ...steps];
  return all.filter((place, at) => at === 0 || place.transactionHash !== all[at - 1]?.transactionHash);
}

function isSameHistory(before: IndexedHistory, now: IndexedHistory | undefined): boolean {
  const write = (history: IndexedHistory | undefined) =>
    history && [history.deployment, ...history.steps].map(({ blockHash }) => blockHash).join(' ');
  // Later inputs are in later blocks: the state is proved before them.
  return write(now)?.startsWith(write(before) ?? '') === true;
}

/** Proves what is not stored yet, a few blocks at a time. */
async function proveAll(
  { pool, client, record, onProgress, signal }: Collecting,
  places: readonly IndexedPlace[],
  pace: Pace,
): Promise<void> {
  const { chainId } = record;
  const proved = await findProved(pool, chainId, places);
  const byBlock = [...Map.groupBy(places, ({ blockHash }) => blockHash)];
  const missing = byBlock.filter(([, wanted]) =>
    wanted.some(({ blockHash, transactionHash }) => !proved.has(`${blockHash} ${transactionHash}`)),
  );
  let done = byBlock.length - missing.length;
  onProgress(done, byBlock.length);
  const queue = missing.values();
  const work = async () => {
    for (const [blockHash, wanted] of queue) {
      signal.throwIfAborted();
      const block = {
        ...{ blockHash, blockNumber: wanted[0]?.blockNumber ?? 0, pace },
        wanted: wanted.map(({ transactionHash }) => transactionHash),
      };
      await storeProved(pool, chainId, await proveBlock(client, block));
      onProgress(++done, byBlock.length);
    }
  };
  await Promise.all(Array.from({ length: blocksAtOnce }, work));
}

type ReadStep = {
  readonly transaction: number;
  readonly log: number;
  readonly permit: EvidencePermit | null;
  readonly isSigned: boolean;
};

/** Reads the transactions in order, and keeps only a file's smaller parts of each. */
async function readSteps(
  { pool, record, signal }: Collecting,
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
  let deployment: ReadStep | undefined;
  let isIncluded = true;
  let next = 0;
  const payloads = readPayloads(pool, record, history.steps);
  for await (const stored of readInOrder(pool, chainId, places)) {
    signal.throwIfAborted();
    const { blockHash, transactionHash } = stored;
    if (blocks.at(-1) !== stored.block) blocks.push(stored.block);
    const transaction = transactions.push({ block: blocks.length - 1, blockHash, transactionHash }) - 1;
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
      const { permitSigner: signer, permitNonce: nonce } = history;
      const permit =
        signer !== null && nonce !== null
          ? findPermit({
              ...{ data, isDirect, signer, nonce, kind: 'deployment' },
              buildMessage: (one) =>
                buildDeployMessage(one, { chainId, factory: history.factory, parameters }),
            })
          : null;
      const isSigned = signer === null ? isDirect && signing !== undefined : permit !== null;
      deployment = { transaction, log, permit, isSigned };
    }
    const own = logs.flatMap((one, at) => (isEvent(one, 'InputAccepted', agreement) ? [at] : []));
    for (const log of own) {
      const step = history.steps[next];
      next++;
      const { value: payload } = await payloads.next();
      if (step?.transactionHash !== stored.transactionHash || !payload) throw new BlockGoneError();
      const { inputId, permitSigner: signer, permitNonce: nonce } = step;
      const isDirect = to === agreement;
      const permit =
        signer !== null && nonce !== null
          ? findPermit({
              ...{ data, isDirect, signer, nonce, kind: 'input' },
              buildMessage: (one) => buildInputMessage(one, { chainId, agreement, inputId, payload }),
            })
          : null;
      const isSigned = signer === null ? isDirect && signing !== undefined : permit !== null;
      steps.push({ transaction, log, permit, isSigned });
      await pace.breathe();
    }
    await pace.breathe();
  }
  if (!deployment || next !== history.steps.length) throw new BlockGoneError();
  return { blocks, transactions, deployment, steps, isIncluded };
}

/**
 * The proofs of transactions, in the requested order, a few at a time.
 *
 * @throws BlockGoneError where one is not kept.
 */
export function readInOrder(
  pool: pg.Pool,
  chainId: number,
  places: readonly { blockHash: Hex; transactionHash: Hex }[],
): AsyncGenerator<StoredProof> {
  const read = async (at: number, count: number) => {
    const some = places.slice(at, at + count);
    const found = new Map((await readProved(pool, chainId, some)).map((one) => [one.transactionHash, one]));
    return some.map(({ transactionHash }) => {
      const stored = found.get(transactionHash);
      if (!stored) throw new BlockGoneError();
      return stored;
    });
  };
  return readBatched({ total: places.length, read, lengthOf: ({ entry }) => entry.length });
}

function parseEntry({ entry }: StoredProof): Omit<EvidenceTransaction, 'block'> {
  return JSON.parse(entry);
}

/** The accounts whose nonces are proved, by the verifier's rules. */
async function listSigners(
  history: IndexedHistory,
  {
    pool,
    parameters,
    record,
    pace,
  }: { pool: pg.Pool; parameters: AgreementParameters; record: EvidenceRecord; pace: Pace },
): Promise<readonly Hex[]> {
  const replay = createReplay(parameters, history.owner);
  let at = 0;
  for await (const payload of readPayloads(pool, record, history.steps)) {
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
