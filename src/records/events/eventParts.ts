import { createHash } from 'node:crypto';

/** What many events have in common of their data, as JSON: stored once for all that one principal is told. */
export type EventPart = {
  /** Made of the text and of whom it is told to. */
  readonly id: string;
  readonly text: string;
};

/** What stands at the end of an event's data, in this order. */
export type EventParts = { readonly notification: EventPart; readonly variables: EventPart };

export function buildEventPart(principalId: string, value: unknown): EventPart {
  const text = JSON.stringify(value);
  const hash = createHash('sha256').update(`${principalId}\n${text}`).digest('hex');
  return { id: `evp_${hash}`, text };
}

/** The parts of `event`, each none where its body is whole. */
export const joinedParts = `
  left join service.event_parts notification on notification.id = event.notification_part_id
  left join service.event_parts variables on variables.id = event.variables_part_id`;

/** The whole envelope of `event` with its joined parts: these characters are what is signed and sent. */
export const wholeBody = `(event.body || coalesce(
  ',"notification":' || notification.text || ',"variables":' || variables.text || '}}', ''))`;

/** Its bytes, without reading it. */
export const wholeBodyBytes = `(octet_length(event.body) + coalesce(
  octet_length(notification.text) + octet_length(variables.text) + octet_length(',"notification":,"variables":}}'), 0))`;

/** The envelope without its parts, as JSON. */
export function closeBody(body: string, hasParts: boolean): string {
  return hasParts ? `${body}}}` : body;
}
