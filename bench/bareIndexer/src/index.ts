import { ponder } from 'ponder:registry';
import { acceptance, deployment, permission } from '../ponder.schema.ts';

ponder.on('AgreementFactory:AgreementDeployed', async ({ event, context }) => {
  const { agreement: address, owner, docHash } = event.args;
  await context.db
    .insert(deployment)
    .values({ id: event.id, address, owner, docHash, blockNumber: event.block.number });
});

ponder.on('AgreementEngine:InputAccepted', async ({ event, context }) => {
  const { inputId, fromState, toState, payload } = event.args;
  await context.db.insert(acceptance).values({
    id: event.id,
    agreement: event.log.address,
    inputId,
    fromState,
    toState,
    payload,
    transactionHash: event.transaction.hash,
    blockNumber: event.block.number,
    blockTimestamp: event.block.timestamp,
  });
});

ponder.on('AgreementEngine:InputSubmittedWithPermit', async ({ event, context }) => {
  const { signer, submitter, inputId } = event.args;
  await context.db.insert(permission).values({
    id: event.id,
    agreement: event.log.address,
    signer,
    submitter,
    inputId,
    blockNumber: event.block.number,
  });
});
