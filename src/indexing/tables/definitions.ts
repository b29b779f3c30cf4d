import type { Context, Event } from 'ponder:registry';
import schema from 'ponder:schema';
import { decodeCreation } from '../decodeCreation.ts';

/** Keeps what the creating call says, if it can be read and speaks of this very agreement. */
export async function insertDefinition(
  context: Context,
  event: Event<'AgreementFactory:AgreementDeployed'>,
): Promise<void> {
  const { args, log, transaction } = event;
  const creation = decodeCreation(transaction, log.address);
  if (!creation || creation.docHash !== args.docHash || creation.docUri !== args.docUri) return;
  const { functionName, salt, inputDefs, transitions, initVars } = creation;
  await context.db.insert(schema.definition).values({
    chainId: context.chain.id,
    agreement: args.agreement,
    functionName,
    salt,
    inputDefs,
    transitions,
    initVars,
  });
}
