import { eq, sql } from 'drizzle-orm';
import { decodeInputPayload, valuesByName } from '../../protocol/index.ts';
import { listActionErrors } from '../chain/decodeRevert.ts';
import { readPermitFacts } from '../chain/readPermitFacts.ts';
import { inputContentHash } from '../database/contentHash.ts';
import { createId } from '../database/ids.ts';
import { inputs } from '../database/tables/inputs.ts';
import { transactions } from '../database/tables/transactions.ts';
import { findViolatedConstraint } from '../database/uniqueViolation.ts';
import { ChainUnavailableError, RefusedError } from '../errors/serviceError.ts';
import { faultPoint } from '../supervision/faultPoint.ts';
import { type AcceptedPermit, acceptPermit, findWallet, refuseNonceInFlight } from './acceptPermit.ts';
import { checkInput, requireInput } from './checkInput.ts';
import { type DeployedRecord, requireDeployed } from './deployedRecord.ts';
import { type CompiledInput, compileInput, type SignedInput } from './inputPermit.ts';
import { findSubmission } from './recognisePermit.ts';
import type { RecordReference } from './recordReference.ts';
import { clientOf, reviveIfUsable } from './revivePermit.ts';
import type { Services } from './services.ts';
import { storeTransaction } from './storeTransaction.ts';

export type InputRequest = SignedInput & {
  readonly principalId: string;
  readonly reference: RecordReference;
};

/**
 * Stores an input as PENDING with its transaction in the outbox, and waits until that is signed. A permit that was sent to this
 * record before leads to the same input, before any check.
 *
 * @returns the input's id; its transaction hash is known, unless it failed.
 * @throws RefusedError for everything that keeps the input from being sent; then nothing is stored.
 * @throws ChainUnavailableError where the chain cannot be asked; then nothing is stored either. Or where the transaction is
 * not signed in time: then the input is stored and will be sent.
 */
export async function submitInput(request: InputRequest, services: Services): Promise<string> {
  const { id, transactionId } = await findOrStore(request, services);
  faultPoint('afterStoreCommit');
  const outcome = await services.changes.waitFor({
    ids: [transactionId],
    read: () => readOutcome(id, services),
    isSettled: isAnswered,
    timeoutMs: services.limits.signingWaitMs,
  });
  faultPoint('beforeAnswer');
  if (isAnswered(outcome)) return id;
  throw new ChainUnavailableError(
    'The input is stored and will be sent, but its transaction is not signed yet.',
  );
}

type Stored = { id: string; transactionId: string };

async function findOrStore(request: InputRequest, services: Services): Promise<Stored> {
  const { database } = services;
  const target = await requireDeployed(services.pool, request);
  const compiled = compileInput(request, target);
  const recognise = async () =>
    compiled && findSubmission(database, { recordId: target.id, ...compiled.call });

  const known = await recognise();
  if (known && compiled) {
    await reviveIfUsable({ ...compiled, known, isAgreement: true }, services);
    return { id: known.id, transactionId: known.transaction.id };
  }
  requireInput(target.agreement, request.inputId);
  try {
    return await acceptAndStore({ request, target, compiled, services });
  } catch (error) {
    // The same permit may have been stored, or even mined, since it was looked for.
    const stored = error instanceof RefusedError ? await recognise() : undefined;
    if (stored) return { id: stored.id, transactionId: stored.transaction.id };
    throw error;
  }
}

type Attempt = {
  request: InputRequest;
  target: DeployedRecord;
  compiled: CompiledInput | undefined;
  services: Services;
};

async function acceptAndStore({ request, target, compiled, services }: Attempt): Promise<Stored> {
  const { database } = services;
  const { signer } = request;
  const { agreement, variables, address, chainId } = target;
  const client = clientOf(chainId, services);
  const wallet = await findWallet(database, chainId);
  const call = compiled && { from: wallet, to: address, data: compiled.call.callData };
  const facts = await readPermitFacts(client, { contract: address, signer, isAgreement: true, call });
  checkInput({ ...request, agreement, variables, facts });
  if (!compiled) throw new Error('an input that passed every check has no payload');
  const actionErrors = listActionErrors(agreement);
  const accepted = await acceptPermit(compiled.permit, { facts, client, database, wallet, actionErrors });
  return store({ request, target, compiled, accepted, services });
}

async function store(
  attempt: Attempt & { compiled: CompiledInput; accepted: AcceptedPermit },
): Promise<Stored> {
  const { request, target, compiled, accepted, services } = attempt;
  const { inputHash, payload, call } = compiled;
  const { signer, deadline, inputId, principalId } = request;
  try {
    return await services.database.transaction(async (transaction) => {
      const transactionId = await storeTransaction(transaction, {
        ...call,
        kind: 'input',
        signer,
        deadline,
        permitNonce: accepted.nonce,
        permitDigest: accepted.digest,
        contentHash: inputContentHash({ inputId: inputHash, payload }),
        gasEstimate: accepted.gas,
      });
      const [stored] = await transaction
        .insert(inputs)
        .values({
          id: createId('inp'),
          recordId: target.id,
          chainId: call.chainId,
          agreementAddress: call.contract,
          inputId,
          status: 'PENDING',
          userId: principalId,
          transactionId,
          signer,
          payload,
          values: valuesByName(decodeInputPayload(target.agreement, payload, inputHash)),
        })
        .onConflictDoUpdate({
          // Another request of the same principal with the same permit was faster by a moment.
          target: [inputs.recordId, inputs.transactionId],
          set: { updatedAt: sql`${inputs.updatedAt}` },
        })
        .returning({ id: inputs.id });
      if (!stored) throw new Error(`the input of the transaction ${transactionId} is gone`);
      faultPoint('beforeStoreCommit');
      return { id: stored.id, transactionId };
    });
  } catch (error) {
    if (findViolatedConstraint(error) === 'transactions_open_permit')
      throw refuseNonceInFlight(accepted.nonce);
    throw error;
  }
}

type Outcome = { txHash: string | null; status: string } | undefined;

function isAnswered(outcome: Outcome): boolean {
  return (outcome?.txHash ?? null) !== null || outcome?.status === 'FAILED';
}

async function readOutcome(id: string, { database }: Services): Promise<Outcome> {
  const [outcome] = await database
    .select({
      txHash: sql<string | null>`coalesce(${inputs.txHash}, ${transactions.txHash})`,
      status: inputs.status,
    })
    .from(inputs)
    .leftJoin(transactions, eq(transactions.id, inputs.transactionId))
    .where(eq(inputs.id, id));
  return outcome;
}
