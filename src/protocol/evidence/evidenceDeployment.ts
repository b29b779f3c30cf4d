import type { Hex } from 'viem';
import type { AgreementParameters } from '../onChain.ts';
import { hashParameters } from '../typedData.ts';
import { type CalledPermit, isCreateCall, readCreateCall } from './evidenceCalls.ts';
import { type CheckedTransaction, checked } from './evidenceChain.ts';
import { textHex } from './evidenceDocument.ts';
import {
  addressTopic,
  isEvent,
  readActionRegistered,
  readTextAndWords,
  topicAddress,
} from './evidenceEvents.ts';
import type { EvidenceFile } from './evidenceFile.ts';
import { buildDeployMessage, requirePermit } from './evidenceTypedData.ts';
import { refuse } from './refusal.ts';

/** How the actor is proved: by a permit, by the transaction's own signature, or not at all. */
export type SignedBy = 'permit' | 'transaction' | 'nothing';

export type CheckedDeployment = {
  readonly by: SignedBy;
  /**
   * Whether the deploying call shows the initial values and the rules. If another contract made the call, or its data unfold,
   * they are the file's own statement: the owner may have signed other permits over the same document, and no event
   * shows which permit was used.
   */
  readonly hasProvedContent: boolean;
};

/** @throws EvidenceRefusal if the owner did not deploy this document with these values. */
export async function checkDeployment(
  file: EvidenceFile,
  transaction: CheckedTransaction,
  parameters: AgreementParameters,
): Promise<CheckedDeployment> {
  const { chain, agreement, deployment } = file;
  const { logs } = transaction;
  const path = 'deployment';
  const log = logs[deployment.log];
  if (!isEvent(log, 'AgreementDeployed', chain.factory))
    refuse('log_mismatch', `${path}.log`, 'This log of the receipt is not AgreementDeployed of the factory.');
  if (log.topics[1] !== addressTopic(agreement.address))
    refuse('log_mismatch', 'agreement.address', 'The factory deployed another agreement.');
  if (log.topics[2] !== addressTopic(agreement.owner))
    refuse('log_mismatch', 'agreement.owner', 'The agreement has another owner.');
  requireText(file, log.data, 'agreement.docUri');
  requireInitialized(file, transaction);
  requireActions(file, transaction, parameters);
  const permitLog = logs[deployment.log + 1];
  const isPermitted =
    isEvent(permitLog, 'AgreementCreatedWithPermit', chain.factory) &&
    permitLog.topics[1] === addressTopic(agreement.address);
  return requireAuthority(file, transaction, {
    parameters,
    signer: isPermitted ? topicAddress(permitLog.topics[2]) : undefined,
  });
}

function requireText({ agreement }: EvidenceFile, data: Hex, path: string): void {
  const { text, words } = checked('log_mismatch', path, () => readTextAndWords(data, 1));
  if (text !== textHex(agreement.docUri)) refuse('log_mismatch', path, 'The chain has another document URI.');
  if (words[0] !== agreement.docHash)
    refuse('log_mismatch', 'agreement.docHash', 'The chain has another document hash.');
}

/** The agreement's own event must match the factory's. */
function requireInitialized(file: EvidenceFile, { logs }: CheckedTransaction): void {
  const { agreement } = file;
  const path = 'agreement.initialState';
  const own = logs.filter((log) => isEvent(log, 'AgreementInitialized', agreement.address));
  const [log] = own;
  if (own.length !== 1 || log === undefined)
    refuse('log_mismatch', path, 'The receipt must have exactly one AgreementInitialized of the agreement.');
  const { text, words } = checked('log_mismatch', path, () => readTextAndWords(log.data, 2));
  const isSame = text === textHex(agreement.docUri) && words[0] === agreement.docHash;
  if (!isSame || log.topics[1] !== addressTopic(agreement.owner))
    refuse('log_mismatch', path, 'The agreement was initialised with another owner, URI or hash.');
  if (words[1] !== agreement.initialState)
    refuse('log_mismatch', path, 'The agreement started in another state.');
}

function requireActions(
  { agreement }: EvidenceFile,
  { logs }: CheckedTransaction,
  { actions }: AgreementParameters,
): void {
  const registered = logs.filter((log) => isEvent(log, 'ActionRegistered', agreement.address));
  const found = checked('log_mismatch', 'document.text', () => registered.map(readActionRegistered));
  const write = (all: readonly AgreementParameters['actions'][number][]) =>
    JSON.stringify(
      all.map(({ fromState, inputId, target, value, data }) =>
        [fromState, inputId, target, String(value), data].join(' ').toLowerCase(),
      ),
    );
  if (write(found) !== write(actions))
    refuse('parameters_mismatch', 'document.text', 'The chain has registered other actions.');
}

async function requireAuthority(
  file: EvidenceFile,
  transaction: CheckedTransaction,
  { parameters, signer }: { parameters: AgreementParameters; signer: Hex | undefined },
): Promise<CheckedDeployment> {
  const { chain, agreement, deployment } = file;
  const { permit } = deployment;
  const path = 'deployment.permit';
  const call = transaction.to === chain.factory ? readCreateCall(transaction.data) : undefined;
  // Data of a create function that unfold are not read: what they say is unproved, as through another contract.
  if (transaction.to === chain.factory && !isCreateCall(transaction.data))
    refuse('call_mismatch', 'deployment', 'The transaction calls no create function of the factory.');
  if (call && JSON.stringify(call.content) !== JSON.stringify(hashParameters(parameters)))
    refuse('parameters_mismatch', 'document', 'The agreement was created with other parameters.');
  if (signer === undefined) {
    if (permit !== null)
      refuse('log_mismatch', path, 'The file has a permit, and the receipt has no event about it.');
    requireNoPermit(call?.permit, 'deployment');
    if (!call) return { by: 'nothing', hasProvedContent: false };
    if (transaction.from !== undefined && transaction.from !== agreement.owner)
      refuse('signature_invalid', 'agreement.owner', 'The signer of the transaction is not the owner.');
    return { by: transaction.from === undefined ? 'nothing' : 'transaction', hasProvedContent: true };
  }
  if (signer !== agreement.owner)
    refuse('log_mismatch', 'agreement.owner', 'The signer of the permit is not the owner.');
  if (permit === null) {
    if (call) refuse('call_mismatch', path, 'The signature is in the transaction, but not in the file.');
    return { by: 'nothing', hasProvedContent: false };
  }
  if (permit.signer !== signer) refuse('log_mismatch', `${path}.signer`, 'The chain names another signer.');
  if (call && !isSamePermit(call.permit, permit))
    refuse('call_mismatch', path, 'The transaction carries another signature.');
  const { chainId, factory } = chain;
  await requirePermit(permit, buildDeployMessage(permit, { chainId, factory, parameters }), path);
  if (BigInt(permit.deadline) < BigInt(transaction.block.timestamp))
    refuse('signature_invalid', `${path}.deadline`, 'The permit expired before this block.');
  return { by: 'permit', hasProvedContent: call !== undefined };
}

/**
 * The contracts log every permit that they accept. Without this check, the submitter of a permit would pass for
 * its signer. @throws EvidenceRefusal `call_mismatch`.
 */
export function requireNoPermit(called: CalledPermit | undefined, path: string): void {
  if (called !== undefined)
    refuse('call_mismatch', path, 'The transaction carries a permit, and the receipt has no event about it.');
}

/** Whether a call carries exactly this signature. */
export function isSamePermit(
  called: CalledPermit | undefined,
  permit: { signer: Hex; deadline: string; v: number; r: Hex; s: Hex },
): boolean {
  if (called === undefined) return false;
  const { signer, deadline, v, r, s } = called;
  return (
    signer === permit.signer &&
    String(deadline) === permit.deadline &&
    v === permit.v &&
    r === permit.r &&
    s === permit.s
  );
}
