import { z } from 'zod';
import type { Agreement, createCaller } from '../../faults/support/caller.ts';
import { createSingleCallClient } from '../../support/singleCalls.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import type { WholeService } from './wholeService.ts';

/**
 * Milliseconds from the promotion until a write was answered, until its effect was served, and until its
 * event arrived.
 */
export type Recovery = { answeredMs: number; servedMs: number; toldMs: number };

const bodyShape = z.object({ data: z.object({ agreementId: z.string(), sequence: z.int() }) });
const patienceMs = 300_000;

/** Sends an input right after the promotion, and follows it until its event arrives. */
export async function measureRecovery(
  { stack, baseUrl, receiver }: WholeService,
  options: {
    probe: ReturnType<typeof createCaller>;
    agreement: Agreement;
    /** The agreement's number of transitions so far. */
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
      // Each input moves the agreement from one of two states to the other.
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
