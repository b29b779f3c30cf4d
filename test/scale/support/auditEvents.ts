import { toldShape } from '../../exactlyOnce/support/poller.ts';
import type { Receiver } from '../../exactlyOnce/support/receiver.ts';
import type { Promised } from '../../faults/support/caller.ts';

/**
 * The faults in a receiver's events, compared with everything that the service promised: each transition must
 * come exactly once, under one id. With `mayRepeat`, the same event may come again, because the service may
 * have lost the receiver's answer.
 */
export function auditEvents(
  receiver: Receiver,
  { deployments, inputs }: Promised,
  { mayRepeat = false } = {},
): string[] {
  const flaws = receiver.refused.map((why) => `a delivery was refused: ${why}`);
  const told = new Map<string, string>();
  for (const [id, { accepted, bodies }] of receiver.received) {
    if (mayRepeat ? accepted === 0 : accepted !== 1) flaws.push(`event ${id} was taken ${accepted} times`);
    if (bodies.size !== 1) flaws.push(`event ${id} came with ${bodies.size} bodies`);
    for (const body of bodies) {
      const { data } = toldShape.parse(JSON.parse(body));
      const transition = `transition ${data.sequence} of ${data.agreementId}`;
      const other = told.get(transition);
      if (other !== undefined) flaws.push(`${transition} is event ${other} and event ${id}`);
      told.set(transition, id);
    }
  }
  const transitions = new Map(deployments.map(({ id }) => [id, 0]));
  for (const { agreement } of inputs) transitions.set(agreement.id, (transitions.get(agreement.id) ?? 0) + 1);
  for (const [id, last] of transitions)
    for (let sequence = 0; sequence <= last; sequence++) {
      const transition = `transition ${sequence} of ${id}`;
      if (!told.delete(transition)) flaws.push(`${transition} was not told`);
    }
  for (const transition of told.keys()) flaws.push(`${transition} was told and nobody made it`);
  return flaws;
}
