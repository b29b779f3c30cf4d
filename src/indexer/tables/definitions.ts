import type { Context, Event } from 'ponder:registry';
import schema from 'ponder:schema';
import type { Creation } from '../decoding/decodeCreation.ts';
import { isNoLargerThan } from '../decoding/isNoLargerThan.ts';

/**
 * Stores the creating call's definition, unless it is larger than the call: a call whose parts share bytes,
 * which no encoder makes, could decode to megabytes.
 */
export async function insertDefinition(
  context: Context,
  { args, transaction }: Event<'AgreementFactory:AgreementDeployed'>,
  creation: Creation,
): Promise<void> {
  const { functionName, salt, inputDefs, transitions, initVars } = creation;
  if (!isNoLargerThan([inputDefs, transitions, initVars], transaction.input.length)) return;
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
