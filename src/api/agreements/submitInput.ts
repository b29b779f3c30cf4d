import { and, eq, sql } from 'drizzle-orm';
import { inputContentHash } from '../../platform/database/contentHash.ts';
import type { Database } from '../../platform/database/database.ts';
import { createId } from '../../platform/database/ids.ts';
import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { isInserted } from '../../platform/database/isInserted.ts';
import { inputs } from '../../platform/database/tables/inputs.ts';
import { findViolatedConstraint } from '../../platform/database/uniqueViolation.ts';
import { ChainUnavailableError, RefusedError } from '../../platform/errors/serviceError.ts';
import { clientOf } from '../../platform/nodes/clients.ts';
import { faultPoint } from '../../platform/supervision/faultPoint.ts';
import { decodeInputPayload, valuesByName } from '../../protocol/index.ts';
import type { AdmissionServices } from '../admission/createAdmission.ts';
import { admitInput, findDigest, type LocalView } from './admitInput.ts';
import { requireInput } from './checkInput.ts';
import type { DeployedRecord, DeployedReference } from './deployedRecord.ts';
import { type InputRow, readInput } from './inputJson.ts';
import type { CompiledInput, SignedInput } from './inputPermit.ts';
import type { AdmittedInput } from './lookAtInput.ts';
import { findSubmission } from './recognisePermit.ts';
import { refuseHeldNonce, refuseNonceInFlight } from './refuseHeldNonce.ts';
import { type NewInput, storeNewInput } from './storeNewInput.ts';
import { type NewTransaction, storeTransaction } from './storeTransaction.ts';
import { type InputView, viewInput } from './viewInput.ts';

export type InputRequest = SignedInput &
  DeployedReference & {
    readonly requestId?: string | undefined;
    /** Whether a guest of the record sends it, who has a share of the principal's gas. */
    readonly isGuests?: boolean | undefined;
    /** Returns the result of `viewInput`, if that has been begun. */
    readonly takeView?: (() => Promise<InputView> | undefined) | undefined;
  };

/**
 * Stores an input as PENDING with its transaction in the outbox, and waits until that is signed. If the
 * permit was sent to this record before, returns the same input, before any check. If it has failed, it is accepted
 * like a new one, after all open inputs; while it would be refused, it stays as it is.
 *
 * @returns the input as it is then; its transaction hash is known, unless it failed.
 * @throws RefusedError for everything that keeps the input from being sent; then nothing is stored.
 * @throws ChainUnavailableError if the chain cannot be asked; then nothing is stored either. Also if the transaction is
 * not signed in time; the input is then stored and will be sent.
 */
export async function submitInput(request: InputRequest, services: AdmissionServices): Promise<InputRow> {
  const { changes, pool, limits } = services;
  const newId = createId('txn');
  const watch = changes.watch(newId);
  try {
    const { id, transactionId } = await findOrStore({ ...request, newId }, services);
    faultPoint('afterStoreCommit');
    const input = await changes.waitFor({
      ids: [transactionId],
      first: transactionId === newId ? watch.changed : undefined,
      read: () => readInput(pool, id),
      isSettled: isAnswered,
      timeoutMs: limits.signingWaitMs,
    });
    faultPoint('beforeAnswer');
    if (isAnswered(input)) return await awaitMined(input, { transactionId, services });
    throw new ChainUnavailableError(
      'The input is stored and will be sent. Its transaction is not signed yet.',
    );
  } finally {
    watch.end();
  }
}

/**
 * Gives an open input the configured time to be mined, so that a caller who reads the state next finds it
 * there.
 */
function awaitMined(
  input: InputRow,
  { transactionId, services }: { transactionId: string; services: AdmissionServices },
): Promise<InputRow> | InputRow {
  const { changes, pool, limits } = services;
  if (limits.inputWaitMs === 0 || input.status !== 'PENDING') return input;
  return changes.waitFor({
    ids: [transactionId, input.record_id],
    read: () => readInput(pool, input.id),
    isSettled: ({ status }) => status !== 'PENDING',
    timeoutMs: limits.inputWaitMs,
  });
}

/** An input with the id for its transaction, if that is new. */
type NewRequest = InputRequest & { readonly newId: string };

type Stored = { id: string; transactionId: string };

async function findOrStore(request: NewRequest, services: AdmissionServices): Promise<Stored> {
  const { database } = services;
  services.quotas.prefetch(request.principalId);
  const { target, compiled, looking } = await (request.takeView?.() ?? viewInput(request, services));
  const recognise = async () =>
    compiled &&
    findSubmission(database, { recordId: target.id, principalId: request.principalId, ...compiled.call });
  const local = await looking.catch(() => undefined);
  const digest = local && findDigest(compiled, local);
  // A known permit for the next nonce, which no open one holds, has failed, and is accepted like a new one.
  if (digest === undefined) {
    const known = await recognise();
    if (known && !known.hasFailed) return { id: known.id, transactionId: known.transaction.id };
  }
  try {
    await services.quotas.check(request.principalId, 'input');
    if (request.isGuests)
      await services.quotas.checkGuests({ principalId: request.principalId, recordId: target.id });
    requireInput(target.agreement, request.inputId);
    const view = { local: await looking, digest };
    return await acceptAndStore({ request, target, compiled, view, services });
  } catch (error) {
    // The same permit may have been stored, or even mined, since it was looked for.
    const stored = error instanceof RefusedError ? await recognise() : undefined;
    if (stored) return { id: stored.id, transactionId: stored.transaction.id };
    throw error;
  }
}

type Attempt = {
  request: NewRequest;
  target: DeployedRecord;
  compiled: CompiledInput | undefined;
  view: LocalView;
  services: AdmissionServices;
};

async function acceptAndStore({ request, target, compiled, view, services }: Attempt): Promise<Stored> {
  const admitted = await admitInput({ input: request, target, compiled, ...view }, services);
  const stored = await store({ request, target, admitted, services });
  services.admission.note({ by: admitted.note.by, outcome: 'accepted' });
  return stored;
}

async function store({
  request,
  target,
  admitted,
  services,
}: Omit<Attempt, 'compiled' | 'view'> & { admitted: AdmittedInput }): Promise<Stored> {
  const { inputHash, payload, call } = admitted.compiled;
  const { signer, deadline, inputId, principalId, isGuests } = request;
  const transaction = {
    ...call,
    signer,
    deadline,
    permitNonce: admitted.nonce,
    permitDigest: admitted.digest,
    contentHash: inputContentHash({ inputId: inputHash, payload }),
    gasEstimate: admitted.gas,
    gasKind: admitted.gasKind,
    admission: { ...admitted.note, ...(isGuests && { isGuests }) },
    requestId: request.requestId,
  };
  const values = valuesByName(decodeInputPayload(target.agreement, payload, inputHash));
  const input = { recordId: target.id, inputId, principalId, payload, values };
  try {
    faultPoint('beforeStoreCommit');
    const added = await storeNewInput(services.pool, {
      transactionId: request.newId,
      transaction,
      input,
    });
    const { isNew, waitsAgain, ...stored } = added
      ? { ...added, isNew: true, waitsAgain: true }
      : await storeKnownInput(services.database, { transaction, input });
    // Otherwise a concurrent request with the same permit has counted it.
    if (waitsAgain)
      services.quotas.note(principalId, {
        openTransactions: 1,
        gas: admitted.gas ?? 0n,
        guestsOf: isGuests ? target.id : undefined,
        // An input that is sent again is stored already.
        storedBytes: isNew ? 2 * payload.length : 0,
      });
    return stored;
  } catch (error) {
    if (findViolatedConstraint(error) !== 'transactions_open_permit') throw error;
    if (admitted.note.by === 'local') throw refuseNonceInFlight(admitted.nonce);
    const client = clientOf(call.chainId, services);
    throw await refuseHeldNonce({ ...call, signer }, { nonce: admitted.nonce, client });
  }
}

/**
 * The permit's transaction exists: another principal sent it, this one's has failed, or a concurrent request of this one
 * was faster. Returns whether the input is new, and whether it waits because of this request.
 */
function storeKnownInput(
  database: Database,
  {
    transaction: call,
    input,
  }: { transaction: Omit<NewTransaction, 'kind' | 'principalId'>; input: NewInput },
): Promise<Stored & { isNew: boolean; waitsAgain: boolean }> {
  const { chainId, contract: agreementAddress, signer } = call;
  const { principalId: userId, ...content } = input;
  return inOwnTransaction(database, userId, async (transaction) => {
    const { id: transactionId, isReopened } = await storeTransaction(transaction, {
      ...call,
      kind: 'input',
      principalId: userId,
    });
    const [former] = await transaction
      .select({ status: inputs.status })
      .from(inputs)
      .where(and(eq(inputs.recordId, input.recordId), eq(inputs.transactionId, transactionId)));
    const [stored] = await transaction
      .insert(inputs)
      .values({
        id: createId('inp'),
        ...content,
        chainId,
        agreementAddress,
        status: 'PENDING',
        userId,
        transactionId,
        signer,
      })
      .onConflictDoUpdate({
        target: [inputs.recordId, inputs.transactionId],
        set: waitAgain,
      })
      .returning({ id: inputs.id, isNew: isInserted(inputs) });
    if (!stored) throw new Error(`the input of the transaction ${transactionId} is gone`);
    const waitsAgain = stored.isNew || isReopened || former?.status === 'FAILED';
    return { ...stored, transactionId, waitsAgain };
  });
}

/** The principal's own failed input of a permit that another one has sent again waits with it. */
const hasFailed = sql`${inputs.status} = 'FAILED'`;
const waitAgain = {
  status: sql`case when ${hasFailed} then 'PENDING' else ${inputs.status} end`,
  error: sql`case when ${hasFailed} then null else ${inputs.error} end`,
  txHash: sql`case when ${hasFailed} then null else ${inputs.txHash} end`,
  updatedAt: sql`case when ${hasFailed} then now() else ${inputs.updatedAt} end`,
};

function isAnswered({ tx_hash, status }: InputRow): boolean {
  return tx_hash !== null || status === 'FAILED';
}
