import { ponder } from 'ponder:registry';
import { expectPermit } from '../decoding/expectPermit.ts';
import {
  applyInput,
  countAction,
  countVerifier,
  getInputCount,
  setInitialState,
} from '../tables/agreements.ts';
import { insertBlock } from '../tables/blocks.ts';
import { insertAction, insertActionExecution } from '../tables/indexedActions.ts';
import { insertInput, setInputPermit } from '../tables/indexedInputs.ts';
import { consumePermit, nextInputNonce } from '../tables/permitCounts.ts';
import { insertVerifier } from '../tables/verifiers.ts';

// No handler for `Initialized` and `EIP712DomainChanged`, which many contracts emit: of a thousand agreements and more,
// Ponder asks for the handled events of all contracts.

ponder.on('AgreementEngine:VerifierRegistered', async ({ event, context }) => {
  await insertBlock(context, event.block);
  const ordinal = await countVerifier(context, { chainId: context.chain.id, address: event.log.address });
  await insertVerifier(context, event, ordinal);
});

ponder.on('AgreementEngine:ActionRegistered', async ({ event, context }) => {
  await insertBlock(context, event.block);
  const ordinal = await countAction(context, { chainId: context.chain.id, address: event.log.address });
  await insertAction(context, event, ordinal);
});

ponder.on('AgreementEngine:AgreementInitialized', async ({ event, context }) => {
  await insertBlock(context, event.block);
  const key = { chainId: context.chain.id, address: event.log.address };
  await setInitialState(context, key, event.args.initialState);
});

/** The engine logs an action before the input that caused it. */
ponder.on('AgreementEngine:ActionExecuted', async ({ event, context }) => {
  await insertBlock(context, event.block);
  const inputCount = await getInputCount(context, { chainId: context.chain.id, address: event.log.address });
  await insertActionExecution(context, event, inputCount + 1);
});

ponder.on('AgreementEngine:InputAccepted', async ({ event, context }) => {
  await insertBlock(context, event.block);
  const key = { chainId: context.chain.id, address: event.log.address };
  const agreement = await applyInput(context, key, {
    fromState: event.args.fromState,
    toState: event.args.toState,
    blockNumber: event.block.number,
    blockTimestamp: event.block.timestamp,
  });
  const permission = expectPermit(event.transaction, key.address);
  const permit = permission && {
    ...permission,
    permitNonce: await nextInputNonce(context, { contract: key.address, signer: permission.permitSigner }),
  };
  await insertInput(context, event, { agreement, permit });
});

/**
 * Belongs to the last accepted input: an engine accepts no second input before it has logged both events of
 * the first.
 */
ponder.on('AgreementEngine:InputSubmittedWithPermit', async ({ event, context }) => {
  await insertBlock(context, event.block);
  const { signer, submitter } = event.args;
  const chainId = context.chain.id;
  const agreement = event.log.address;
  const permitNonce = await consumePermit(context, { contract: agreement, signer, firstNonce: () => 0n });
  const position = await getInputCount(context, { chainId, address: agreement });
  const key = { chainId, agreement, position };
  await setInputPermit(context, key, { permitSigner: signer, permitSubmitter: submitter, permitNonce });
});
