import type { Context, Event } from 'ponder:registry';
import schema from 'ponder:schema';
import type { Address, Hex } from 'viem';
import type { Creation } from '../decoding/decodeCreation.ts';
import { readDocUri } from '../decoding/readDocUri.ts';

export type AgreementKey = { chainId: number; address: Address };
export type Agreement = typeof schema.agreement.$inferSelect;

/**
 * A new agreement, with data from its creating call if that can be read. Its state is unknown until the
 * engine's own event.
 */
export async function insertAgreement(
  context: Context,
  event: Event<'AgreementFactory:AgreementDeployed'>,
  creation: Creation | null,
): Promise<void> {
  const { args, block, log, transaction } = event;
  await context.db.insert(schema.agreement).values({
    chainId: context.chain.id,
    address: args.agreement,
    factory: log.address,
    owner: args.owner,
    ...readDocUri(log),
    docHash: args.docHash,
    contentHash: creation?.signedHash ?? null,
    inputCount: 0,
    transitionCount: 0,
    verifierCount: 0,
    actionCount: 0,
    transactionHash: transaction.hash,
    transactionFrom: transaction.from,
    transactionTo: transaction.to,
    logIndex: log.logIndex,
    blockNumber: block.number,
    blockHash: block.hash,
    blockTimestamp: block.timestamp,
    updatedBlockNumber: block.number,
    updatedBlockTimestamp: block.timestamp,
  });
}

export async function setPermit(
  context: Context,
  key: AgreementKey,
  permit: { permitSigner: Address; permitSubmitter: Address; permitNonce: bigint },
): Promise<void> {
  await context.db.update(schema.agreement, key).set(permit);
}

export async function setInitialState(context: Context, key: AgreementKey, state: Hex): Promise<void> {
  await context.db.update(schema.agreement, key).set({ initialState: state, currentState: state });
}

/** Moves the agreement to the state after one more input and returns the new row. */
export async function applyInput(
  context: Context,
  key: AgreementKey,
  input: { fromState: Hex; toState: Hex; blockNumber: bigint; blockTimestamp: bigint },
): Promise<Agreement> {
  return context.db.update(schema.agreement, key).set((agreement) => ({
    currentState: input.toState,
    inputCount: agreement.inputCount + 1,
    transitionCount: agreement.transitionCount + (input.fromState === input.toState ? 0 : 1),
    updatedBlockNumber: input.blockNumber,
    updatedBlockTimestamp: input.blockTimestamp,
  }));
}

/** Counts one more verifier and returns its number in the order of registration, from 0. */
export async function countVerifier(context: Context, key: AgreementKey): Promise<number> {
  const agreement = await context.db
    .update(schema.agreement, key)
    .set(({ verifierCount }) => ({ verifierCount: verifierCount + 1 }));
  return agreement.verifierCount - 1;
}

/** Counts one more action and returns its number in the order of registration, from 0. */
export async function countAction(context: Context, key: AgreementKey): Promise<number> {
  const agreement = await context.db
    .update(schema.agreement, key)
    .set(({ actionCount }) => ({ actionCount: actionCount + 1 }));
  return agreement.actionCount - 1;
}

/** The number of inputs that the agreement has accepted so far. */
export async function getInputCount(context: Context, key: AgreementKey): Promise<number> {
  const agreement = await context.db.find(schema.agreement, key);
  if (!agreement) throw new Error(`the agreement ${key.address} on chain ${key.chainId} does not exist`);
  return agreement.inputCount;
}
