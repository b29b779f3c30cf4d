import type { Context, Event } from 'ponder:registry';
import schema from 'ponder:schema';
import type { Creation } from '../decoding/decodeCreation.ts';

/** Stores the creating call's definition. */
export async function insertDefinition(
  context: Context,
  { args }: Event<'AgreementFactory:AgreementDeployed'>,
  creation: Creation,
): Promise<void> {
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
