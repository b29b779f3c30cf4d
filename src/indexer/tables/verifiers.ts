import type { Context, Event } from 'ponder:registry';
import schema from 'ponder:schema';

export async function insertVerifier(
  context: Context,
  event: Event<'AgreementEngine:VerifierRegistered'>,
  ordinal: number,
): Promise<void> {
  const { args, log } = event;
  await context.db.insert(schema.verifier).values({
    chainId: context.chain.id,
    agreement: log.address,
    ordinal,
    key: args.key,
    verifier: args.verifier,
  });
}
