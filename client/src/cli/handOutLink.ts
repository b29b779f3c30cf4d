import type { Context } from './context.ts';
import { drawFacts } from './table.ts';

const warning = 'Give it to that person alone: whoever has it can read the agreement.';

/**
 * Creates and prints a link where somebody else signs: a participant of an agreement, or the owner of a
 * draft.
 */
export async function handOutLink(
  { client, terminal, answer }: Context,
  { id, participant }: { readonly id: string; readonly participant?: string },
): Promise<void> {
  const body = { may: 'sign', ...(participant !== undefined && { participant }) } as const;
  const link = await client().links.create(id, body, { signal: terminal.stopped });
  const facts = drawFacts(terminal, [
    ['agreement', link.agreementId],
    ['link', link.id],
    ['expires', link.expiresAt],
  ]);
  answer({ value: link, text: `${link.url}\n${facts}\n${warning}` });
}
