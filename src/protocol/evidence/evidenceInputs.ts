import type { Hex } from 'viem';
import type { AppliedInput } from '../model/applyInput.ts';
import { readInputCall } from './evidenceCalls.ts';
import { type CheckedTransaction, checked } from './evidenceChain.ts';
import { isSamePermit, requireNoPermit, type SignedBy } from './evidenceDeployment.ts';
import { addressTopic, isEvent, readInputAccepted, topicAddress } from './evidenceEvents.ts';
import type { EvidenceFile, EvidenceInput } from './evidenceFile.ts';
import type { Replay } from './evidenceReplay.ts';
import { buildInputMessage, requirePermit } from './evidenceTypedData.ts';
import { refuse } from './refusal.ts';

export type CheckedInput = {
  readonly by: SignedBy;
  /** Who acted, if anything proves it. */
  readonly actor: Hex | undefined;
  readonly outcome: AppliedInput;
};

/**
 * Requires that the file lists every input of the agreement in its receipts, in the chain's order, that the
 * deployment comes first, and that no transaction counts twice.
 *
 * @throws EvidenceRefusal `incomplete` or `order_invalid`.
 */
export function requireComplete(file: EvidenceFile, transactions: readonly CheckedTransaction[]): void {
  const { agreement, deployment, inputs } = file;
  if (deployment.transaction !== 0)
    refuse('order_invalid', 'deployment.transaction', 'The deployment is not the first transaction.');
  if (inputs.length !== agreement.inputCount)
    refuse('incomplete', 'agreement.inputCount', 'The file does not have this number of inputs.');
  const held = transactions.flatMap(({ logs }, transaction) =>
    logs.flatMap((log, at) =>
      isEvent(log, 'InputAccepted', agreement.address) ? [{ transaction, log: at }] : [],
    ),
  );
  for (const [at, one] of inputs.entries()) {
    const expected = held[at];
    const path = `inputs[${at}]`;
    const before = inputs[at - 1];
    if (before && (before.transaction - one.transaction || before.log - one.log) >= 0)
      refuse('order_invalid', path, 'The inputs are not in ascending order.');
    if (transactions[one.transaction] === undefined)
      refuse(
        'bad_format',
        `${path}.transaction`,
        'The input names a transaction that the file does not have.',
      );
    const log = transactions[one.transaction]?.logs[one.log];
    if (!isEvent(log, 'InputAccepted', agreement.address))
      refuse('log_mismatch', `${path}.log`, 'This log of the receipt is not InputAccepted of the agreement.');
    if (expected?.transaction !== one.transaction || expected.log !== one.log)
      refuse('incomplete', path, 'The file leaves out an input before this one that a receipt holds.');
  }
  if (held.length !== inputs.length)
    refuse('incomplete', 'inputs', 'The file leaves out an input that a receipt holds.');
  const used = new Set([0, ...inputs.map(({ transaction }) => transaction)]);
  if (transactions.some((_, at) => !used.has(at)))
    refuse('order_invalid', 'transactions', 'A transaction holds neither the deployment nor an input.');
  requireOnce(file, transactions);
}

/**
 * A chain includes each transaction once, and each sender's transactions in the order of their nonces. A direct
 * call of the agreement is one input: the engine accepts no other one during the call.
 */
function requireOnce({ agreement, inputs }: EvidenceFile, transactions: readonly CheckedTransaction[]): void {
  const nonces = new Map<Hex, bigint>();
  for (const [at, { from, nonce }] of transactions.entries()) {
    if (from === undefined || nonce === undefined) continue;
    const before = nonces.get(from);
    if (before !== undefined && before >= nonce)
      refuse(
        'order_invalid',
        `transactions[${at}]`,
        'The sender has already used this nonce or a later one.',
      );
    nonces.set(from, nonce);
  }
  if (new Set(transactions.map(({ hash }) => hash)).size < transactions.length)
    refuse('order_invalid', 'transactions', 'A transaction is listed twice.');
  for (const [at, { transaction }] of inputs.entries())
    if (inputs[at - 1]?.transaction === transaction && transactions[transaction]?.to === agreement.address)
      refuse('order_invalid', `inputs[${at}]`, 'One call of the agreement cannot be two inputs.');
}

/**
 * Checks one input against its receipt, its call and its signature, and replays it. @throws EvidenceRefusal
 * if it does not hold.
 */
export async function checkInput(
  file: EvidenceFile,
  at: number,
  { transaction, replay }: { transaction: CheckedTransaction; replay: Replay },
): Promise<CheckedInput> {
  const input = file.inputs[at];
  const path = `inputs[${at}]`;
  const log = input && transaction.logs[input.log];
  if (!input || !log) refuse('bad_format', path, 'There is no such input.');
  const said = checked('log_mismatch', path, () => readInputAccepted(log));
  for (const name of ['fromState', 'toState', 'inputId', 'payload'] as const)
    if (said[name] !== input[name])
      refuse('log_mismatch', `${path}.${name}`, 'The receipt has another value.');
  const permitLog = transaction.logs[input.log + 1];
  const isPermitted = isEvent(permitLog, 'InputSubmittedWithPermit', file.agreement.address);
  if (isPermitted && permitLog.topics[3] !== input.inputId)
    refuse('log_mismatch', `${path}.permit`, 'The event about the permit names another input.');
  const signer = isPermitted ? topicAddress(permitLog.topics[1]) : undefined;
  const authority = await requireAuthority(file, input, { transaction, signer, path });
  const nonce = signer && (replay.engine.nonces.get(signer) ?? 0n);
  const { permit } = input;
  const outcome = replay.play(
    {
      inputId: input.inputId,
      payload: input.payload,
      sender: authority.actor,
      permit:
        signer === undefined || nonce === undefined
          ? undefined
          : {
              signer,
              nonce: permit ? BigInt(permit.nonce) : nonce,
              deadline: permit ? BigInt(permit.deadline) : BigInt(transaction.block.timestamp),
            },
      time: transaction.block.timestamp,
    },
    path,
  );
  if (outcome.fromState !== input.fromState || outcome.toState !== input.toState)
    refuse(
      'replay_refused',
      path,
      'By the rules of the document, this input has another fromState or toState.',
    );
  requireAction(file, { input, transaction, outcome, path });
  return { ...authority, outcome };
}

type Subject = {
  readonly transaction: CheckedTransaction;
  readonly signer: Hex | undefined;
  readonly path: string;
};

async function requireAuthority(
  { chain, agreement }: EvidenceFile,
  input: EvidenceInput,
  { transaction, signer, path }: Subject,
): Promise<{ by: SignedBy; actor: Hex | undefined }> {
  const { permit, inputId, payload } = input;
  const isDirect = transaction.to === agreement.address;
  const call = isDirect ? readInputCall(transaction.data) : undefined;
  if (isDirect && (call?.inputId !== inputId || call.payload !== payload))
    refuse('call_mismatch', path, 'The transaction does not call the agreement with this input and payload.');
  if (signer === undefined) {
    if (permit !== null)
      refuse(
        'log_mismatch',
        `${path}.permit`,
        'The file has a permit, and the receipt has no event about it.',
      );
    requireNoPermit(call?.permit, path);
    if (!isDirect || transaction.from === undefined)
      return { by: 'nothing', actor: isDirect ? transaction.depositor : undefined };
    return { by: 'transaction', actor: transaction.from };
  }
  if (permit === null) {
    if (call)
      refuse('call_mismatch', `${path}.permit`, 'The signature is in the transaction, but not in the file.');
    return { by: 'nothing', actor: signer };
  }
  if (permit.signer !== signer)
    refuse('log_mismatch', `${path}.permit.signer`, 'The chain names another signer.');
  if (call && !isSamePermit(call.permit, permit))
    refuse('call_mismatch', `${path}.permit`, 'The transaction carries another signature.');
  const { chainId } = chain;
  const message = buildInputMessage(permit, { chainId, agreement: agreement.address, inputId, payload });
  await requirePermit(permit, message, `${path}.permit`);
  return { by: 'permit', actor: signer };
}

type Played = {
  readonly input: EvidenceInput;
  readonly transaction: CheckedTransaction;
  readonly outcome: AppliedInput;
  readonly path: string;
};

/** The contract logs a transition's call right before the input's own event. */
function requireAction({ agreement }: EvidenceFile, { input, transaction, outcome, path }: Played): void {
  const log = transaction.logs[input.log - 1];
  const isExecuted = isEvent(log, 'ActionExecuted', agreement.address);
  const { action } = outcome;
  if (!action) {
    if (isExecuted)
      refuse('log_mismatch', path, 'The contract made a call that the document does not ask for.');
    return;
  }
  const topics = [input.fromState, input.toState, input.inputId];
  const isSame =
    isExecuted &&
    topics.every((topic, at) => log.topics[at + 1] === topic) &&
    log.data === addressTopic(`0x${action.target.slice(2).toLowerCase()}`);
  if (!isSame) refuse('log_mismatch', path, 'The contract did not make the call that the document asks for.');
}
