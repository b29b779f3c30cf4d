import type { Context, Event } from 'ponder:registry';
import schema from 'ponder:schema';
import type { Address, Hex } from 'viem';
import { readFields } from '../decoding/readFields.ts';
import type { Agreement } from './agreements.ts';

export type InputPermit = { permitSigner: Address; permitSubmitter: Address; permitNonce: bigint };

/** The input that led to the agreement's current state, with the expected permit. */
export async function insertInput(
  context: Context,
  event: Event<'AgreementEngine:InputAccepted'>,
  { agreement, permit }: { agreement: Agreement; permit: InputPermit | null },
): Promise<void> {
  const { args, block, log, transaction } = event;
  const fields = readFields(args.payload);
  await context.db.insert(schema.input).values({
    chainId: agreement.chainId,
    agreement: agreement.address,
    position: agreement.inputCount,
    inputId: args.inputId,
    fromState: args.fromState,
    toState: args.toState,
    sequence: args.fromState === args.toState ? null : agreement.transitionCount,
    payload: args.payload,
    fields: fields && JSON.stringify(fields),
    ...permit,
    transactionHash: transaction.hash,
    transactionFrom: transaction.from,
    transactionTo: transaction.to,
    transactionOrdinal: await findTransactionOrdinal(context, agreement, transaction),
    logIndex: log.logIndex,
    blockNumber: block.number,
    blockHash: block.hash,
    blockTimestamp: block.timestamp,
  });
}

/** Gives an input its permit, if it differs from the expected one. */
export async function setInputPermit(
  context: Context,
  key: { chainId: number; agreement: Address; position: number },
  permit: InputPermit,
): Promise<void> {
  const input = await context.db.find(schema.input, key);
  const isExpected =
    input?.permitSigner === permit.permitSigner.toLowerCase() &&
    input.permitSubmitter === permit.permitSubmitter.toLowerCase() &&
    input.permitNonce === permit.permitNonce;
  if (!isExpected) await context.db.update(schema.input, key).set(permit);
}

/**
 * An agreement's inputs of one transaction follow each other, so the previous input tells. If the transaction
 * itself calls the agreement, its input is the only one.
 */
async function findTransactionOrdinal(
  context: Context,
  agreement: Agreement,
  { hash, to }: { hash: Hex; to: Address | null },
): Promise<number> {
  const { chainId, address, inputCount } = agreement;
  if (inputCount === 1 || to?.toLowerCase() === address.toLowerCase()) return 0;
  const previous = await context.db.find(schema.input, {
    chainId,
    agreement: address,
    position: inputCount - 1,
  });
  return previous?.transactionHash === hash ? previous.transactionOrdinal + 1 : 0;
}
