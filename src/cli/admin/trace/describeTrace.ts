import { formatGwei } from 'viem';
import type { Trace } from './readTrace.ts';

/** A trace as text: each thing with its events, in chronological order. */
export function describeTrace(trace: Trace): string {
  const { subject, records, transactions, inputs, index, events } = trace;
  const blocks = [
    [`Trace of the ${subject.kind} ${subject.id}`],
    ...records.map(describeRecord),
    ...transactions.map((transaction) => [
      ...describeTransaction(transaction),
      ...describeIndex(index, transaction),
    ]),
    ...inputs.map(describeInput),
    ...events.map(describeEvent),
  ];
  if (transactions.length === 0)
    blocks.push(['No transaction of this service: it reached the chain by another way.']);
  if (index === null) blocks.push(['The index is not there yet: nothing is known of the chain.']);
  return blocks.map((lines) => lines.join('\n')).join('\n\n');
}

function describeRecord(record: Trace['records'][number]): string[] {
  const { principalName, principalId, address, error, state, stateBlockNumber } = record;
  return [
    `Record ${record.id} "${record.displayName}" on chain ${record.chainId}: ${record.status}`,
    row('asked for by', `${principalName} (${principalId}) at ${time(record.createdAt)}`),
    ...(address === null ? [] : [row('agreement', address)]),
    ...(state === null ? [] : [row('state', `${state} as of block ${stateBlockNumber ?? '-'}`)]),
    ...(record.adoptedThrough === null
      ? []
      : [row('adopted', `from the chain, up to block ${record.adoptedThrough}`)]),
    ...(error === null ? [] : [row('error', `${error.reason}: ${error.message}`)]),
  ];
}

function describeTransaction(transaction: Trace['transactions'][number]): string[] {
  const { permitDigest, permitNonce, signer, contract, failure, minedBlockNumber, attempts } = transaction;
  return [
    `Transaction ${transaction.id} (${transaction.kind}) on chain ${transaction.chainId}: ${transaction.state}`,
    row('accepted', time(transaction.createdAt)),
    ...(transaction.requestId === null ? [] : [row('request', transaction.requestId)]),
    ...(transaction.traceId === null ? [] : [row('trace', transaction.traceId)]),
    row('permit', `${permitDigest}, nonce ${permitNonce} of ${signer} at ${contract}`),
    row('valid until', time(transaction.deadline)),
    ...attempts.flatMap((attempt, at) => [
      row(`attempt ${at + 1}`, `${attempt.txHash}, nonce ${attempt.nonce} of ${attempt.wallet}`),
      row('', `signed ${time(attempt.signedAt)}, ${describeFees(attempt)}`),
      row(
        '',
        attempt.acceptedAt === null ? 'taken by no node' : `taken by a node ${time(attempt.acceptedAt)}`,
      ),
      ...(attempt.objection === null ? [] : [row('', `a node said: ${attempt.objection}`)]),
    ]),
    ...(attempts.length === 0 ? [row('attempts', 'none: nothing is signed')] : []),
    ...(minedBlockNumber === null
      ? []
      : [row('mined', `block ${minedBlockNumber} by ${transaction.txHash ?? '-'}`)]),
    ...(failure === null ? [] : [row('failed', `${failure.reason}: ${failure.message}`)]),
  ];
}

function describeIndex(index: Trace['index'], transaction: Trace['transactions'][number]): string[] {
  const hashes = new Set([transaction.txHash, ...transaction.attempts.map(({ txHash }) => txHash)]);
  return (index ?? [])
    .filter(({ txHash, chainId }) => chainId === transaction.chainId && hashes.has(txHash))
    .map((log) =>
      row(
        'index',
        `block ${log.blockNumber} of ${time(log.blockTime)}, log ${log.logIndex}: ${log.event} at ${log.agreement}`,
      ),
    );
}

function describeInput(input: Trace['inputs'][number]): string[] {
  const { error, fromState, toState, sequence, blockNumber, principalId } = input;
  return [
    `Input ${input.id} "${input.inputId}" of ${input.recordId}: ${input.status}`,
    row(
      'asked for by',
      principalId === null ? 'others, on the chain' : `${principalId} at ${time(input.createdAt)}`,
    ),
    ...(input.signer === null ? [] : [row('signer', input.signer)]),
    ...(toState === null
      ? []
      : [
          row(
            'transition',
            `${fromState ?? '-'} → ${toState}${sequence === null ? '' : `, number ${sequence}`}`,
          ),
        ]),
    ...(blockNumber === null ? [] : [row('mined', `block ${blockNumber} by ${input.txHash ?? '-'}`)]),
    ...(error === null ? [] : [row('error', `${error.reason}: ${error.message}`)]),
  ];
}

function describeEvent(event: Trace['events'][number]): string[] {
  const place = event.blockNumber === null ? '' : `, of block ${event.blockNumber}`;
  return [
    `Event ${event.id} ${event.type}: ${event.state}`,
    row('written', `${time(event.createdAt)}${place}`),
    ...(event.releasedAt === null
      ? []
      : [
          row(
            'released',
            `${time(event.releasedAt)}, number ${event.position ?? '-'} of ${event.principalId}`,
          ),
        ]),
    ...event.deliveries.flatMap((delivery) => [
      row(
        'delivery',
        `${delivery.id} to ${delivery.host ?? '-'} (${delivery.subscriptionId}): ${delivery.status}`,
      ),
      ...delivery.attempts.map(({ number, startedAt, durationMs, responseStatus, error }) =>
        row(
          '',
          `attempt ${number} ${time(startedAt)}: ${responseStatus ?? error ?? 'no answer'}, ${durationMs} ms`,
        ),
      ),
      ...(delivery.nextAttemptAt === null ? [] : [row('', `next attempt ${time(delivery.nextAttemptAt)}`)]),
    ]),
  ];
}

function describeFees(attempt: { gas: string; maxFeePerGas: string; maxPriorityFeePerGas: string }): string {
  const [fee, tip] = [attempt.maxFeePerGas, attempt.maxPriorityFeePerGas].map((wei) =>
    formatGwei(BigInt(wei)),
  );
  return `gas ${attempt.gas} at ${fee} gwei at most, ${tip} of it as tip`;
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(13)} ${value}`;
}

function time(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'for ever' : date.toISOString();
}
