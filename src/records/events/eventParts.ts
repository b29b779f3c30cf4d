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

/** Looked up by key for each event, whatever the planner would join. */
const partOf = (column: string) =>
  `lateral (select text from service.event_parts where id = event.${column} offset 0)`;

/** The parts of `event`; empty if its body is whole. */
export const joinedParts = `
  left join ${partOf('notification_part_id')} as notification on true
  left join ${partOf('variables_part_id')} as variables on true`;

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
