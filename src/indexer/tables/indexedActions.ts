import type { Context, Event } from 'ponder:registry';
import schema from 'ponder:schema';

export async function insertAction(
  context: Context,
  event: Event<'AgreementEngine:ActionRegistered'>,
  ordinal: number,
): Promise<void> {
  const { args, log } = event;
  await context.db.insert(schema.action).values({
    chainId: context.chain.id,
    agreement: log.address,
    ordinal,
    fromState: args.fromState,
    inputId: args.inputId,
    target: args.target,
    value: args.value,
    data: args.data,
  });
}

/** `position` is that of the input that caused it. */
export async function insertActionExecution(
  context: Context,
  event: Event<'AgreementEngine:ActionExecuted'>,
  position: number,
): Promise<void> {
  const { args, block, log, transaction } = event;
  await context.db.insert(schema.actionExecution).values({
    chainId: context.chain.id,
    agreement: log.address,
    position,
    fromState: args.fromState,
    toState: args.toState,
    inputId: args.inputId,
    target: args.target,
    transactionHash: transaction.hash,
    blockNumber: block.number,
  });
}
