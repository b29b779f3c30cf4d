import { inOwnTransaction } from '../../platform/database/inOwnTransaction.ts';
import { findViolatedConstraint } from '../../platform/database/uniqueViolation.ts';
import { clientOf } from '../../platform/nodes/clients.ts';
import { readPermitFacts } from '../../platform/nodes/readPermitFacts.ts';
import type { Services } from '../../records/agreements/services.ts';
import type { Permit } from './acceptPermit.ts';
import { findWallet } from './findWallet.ts';
import { isExpired } from './permitTime.ts';
import type { KnownPermit, PermitCall } from './recognisePermit.ts';
import { reopenTransaction } from './storeTransaction.ts';

/**
 * Sends a deployment's known permit again whose transaction had failed, if the contract would still accept it: unexpired,
 * with its nonce unused and free, and without a revert. Otherwise nothing changes.
 *
 * @throws ChainUnavailableError if the transaction had failed and the chain cannot be asked.
 * @throws RefusedError `quota_exceeded`, `storage_exceeded` if it had failed.
 */
export async function reviveIfUsable(
  {
    known,
    permit,
    call,
    principalId,
  }: { known: KnownPermit; permit: Permit; call: PermitCall; principalId: string },
  services: Services,
): Promise<KnownPermit> {
  const { id, nonce } = known.transaction;
  if (!known.hasFailed) return known;
  const { database } = services;
  await services.quotas.check(principalId, 'deploy');
  const wallet = await findWallet(database, permit.chainId);
  const facts = await readPermitFacts(clientOf(permit.chainId, services), {
    contract: permit.contract,
    signer: permit.signer,
    isAgreement: false,
    call: { from: wallet?.address, to: call.contract, data: call.callData },
  });
  if (facts.nonce !== nonce || !wallet || !facts.simulation?.ok) return known;
  if (await isExpired(permit.deadline, { facts, database })) return known;
  const { gas } = facts.simulation;
  try {
    const waitsAgain = await inOwnTransaction(database, principalId, (transaction) =>
      reopenTransaction(transaction, { id, chainId: permit.chainId, principalId, gasEstimate: gas }),
    );
    if (waitsAgain) services.quotas.note(principalId, { openTransactions: 1, gas });
  } catch (error) {
    // Another permit has the nonce now, and this one stays failed.
    if (findViolatedConstraint(error) !== 'transactions_open_permit') throw error;
  }
  return known;
}
