import type { Context } from './context.ts';
import { drawFacts } from './table.ts';
import { plain } from './terminal.ts';

const warning = 'Give the link only to that person: anyone who has it can read the agreement.';

type Recipient = {
  /** The record's id, or its address with the chain. */
  readonly id: string;
  readonly chainId?: number | undefined;
  readonly participant?: string;
};

/**
 * Creates and prints a link with which somebody else signs: a participant of an agreement, or the owner of a
 * draft.
 */
export async function handOutLink(
  { client, terminal, answer }: Context,
  { id, participant, chainId }: Recipient,
): Promise<void> {
  const body = { may: 'sign', ...(participant !== undefined && { participant }) } as const;
  const { agreements, links } = client();
  const call = { signal: terminal.stopped };
  const record = chainId === undefined ? { id } : await agreements.get(id, { ...call, chainId });
  const link = await links.create(record.id, body, call);
  const facts = drawFacts(terminal, [
    ['agreement', link.agreementId],
    ['link', link.id],
    ['expires', link.expiresAt],
  ]);
  answer({ value: link, text: `${plain(link.url)}\n${facts}\n${warning}` });
}
