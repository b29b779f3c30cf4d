import { createHash } from 'node:crypto';

/** A part of the data that many events share, as JSON: stored once per principal. */
export type EventPart = {
  /** Derived from the text and the principal. */
  readonly id: string;
  readonly text: string;
};

/** The parts at the end of an event's data, in this order. */
export type EventParts = { readonly notification: EventPart; readonly variables: EventPart };

export function buildEventPart(principalId: string, value: unknown): EventPart {
  const text = JSON.stringify(value);
  const hash = createHash('sha256').update(`${principalId}\n${text}`).digest('hex');
  return { id: `evp_${hash}`, text };
}

/** The parts of `event`; empty if its body is whole. */
export const joinedParts = `
  left join service.event_parts notification on notification.id = event.notification_part_id
  left join service.event_parts variables on variables.id = event.variables_part_id`;

/** The whole envelope of `event` with its joined parts: exactly these characters are signed and sent. */
export const wholeBody = `(event.body || coalesce(
  ',"notification":' || notification.text || ',"variables":' || variables.text || '}}', ''))`;

/** Its size in bytes, without reading it. */
export const wholeBodyBytes = `(octet_length(event.body) + coalesce(
  octet_length(notification.text) + octet_length(variables.text) + octet_length(',"notification":,"variables":}}'), 0))`;

/** The envelope without its parts, as JSON. */
export function closeBody(body: string, hasParts: boolean): string {
  return hasParts ? `${body}}}` : body;
}
