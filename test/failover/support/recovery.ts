import { z } from 'zod';
import type { Agreement, createCaller } from '../../faults/support/caller.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import type { WholeService } from './wholeService.ts';

/** How long after the promotion a write was answered, its effect was served, and its event had come, in milliseconds. */
export type Recovery = { answeredMs: number; servedMs: number; toldMs: number };

const bodyShape = z.object({ data: z.object({ agreementId: z.string(), sequence: z.int() }) });
const patienceMs = 300_000;

/** Sends an input the moment the database is promoted, and follows it to the end. */
export async function measureRecovery(
  { stack, baseUrl, receiver }: WholeService,
  options: {
    probe: ReturnType<typeof createCaller>;
    agreement: Agreement;
    /** How many transitions the agreement has had before. */
    transitions: number;
  },
): Promise<Recovery> {
  const { probe, agreement, transitions } = options;
  const service = createSingleCallClient({ baseUrl, apiKey: stack.apiKey });
  const startedAt = performance.now();
  const passedMs = () => Math.round(performance.now() - startedAt);
  let answeredMs = 0;
  await probe.hit(agreement, () => {
    answeredMs = passedMs();
  });
  const count = transitions + 1;
  const isServed = () =>
    service.agreements.getState(agreement.id).then(
      // Each input takes it from one of two states to the other.
      ({ state }) => state === (count % 2 === 1 ? 'PONG' : 'PING'),
      () => false,
    );
  await waitUntil('the input is served as mined', isServed, patienceMs);
  const servedMs = passedMs();
  const isTold = () =>
    [...receiver.received.values()].some(({ bodies, accepted }) =>
      [...bodies].some((body) => {
        const { data } = bodyShape.parse(JSON.parse(body));
        return accepted > 0 && data.agreementId === agreement.id && data.sequence === count;
      }),
    );
  await waitUntil('its event has come', isTold, patienceMs);
  return { answeredMs, servedMs, toldMs: passedMs() };
}
