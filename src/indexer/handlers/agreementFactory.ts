import { ponder } from 'ponder:registry';
import { findCreation } from '../decoding/decodeCreation.ts';
import { readFirstNonce } from '../decoding/factoryHistory.ts';
import { insertAgreement, setPermit } from '../tables/agreements.ts';
import { insertBlock } from '../tables/blocks.ts';
import { insertDefinition } from '../tables/definitions.ts';
import { consumePermit } from '../tables/permitCounts.ts';

ponder.on('AgreementFactory:AgreementDeployed', async ({ event, context }) => {
  await insertBlock(context, event.block);
  const creation = findCreation(event);
  await insertAgreement(context, event, creation);
  if (creation) await insertDefinition(context, event, creation);
});

ponder.on('AgreementFactory:AgreementCreatedWithPermit', async ({ event, context }) => {
  await insertBlock(context, event.block);
  const { agreement, signer, submitter } = event.args;
  const factory = event.log.address;
  const permitNonce = await consumePermit(context, {
    contract: factory,
    signer,
    firstNonce: () => readFirstNonce(context, { factory, signer, blockNumber: event.block.number }),
  });
  const key = { chainId: context.chain.id, address: agreement };
  await setPermit(context, key, { permitSigner: signer, permitSubmitter: submitter, permitNonce });
});
