import type { EventType } from '../../platform/database/tables/events.ts';
import type { EventParts } from './eventParts.ts';

/** The version of the envelope and its data, for receivers to check. */
export const eventApiVersion = '2026-06-01';

/** An event in the form for receivers. */
export type Envelope = {
  id: string;
  type: EventType;
  apiVersion: typeof eventApiVersion;
  /** ISO 8601 with milliseconds, in UTC. */
  createdAt: string;
  data: Record<string, unknown>;
};

type EnvelopeContent = { id: string; type: EventType; createdAt: Date; data: Record<string, unknown> };

/** The body of an event: written once and stored, because exactly these characters are signed. */
export function writeEnvelope({ id, type, createdAt, data }: EnvelopeContent): string {
  const envelope: Envelope = {
    id,
    type,
    apiVersion: eventApiVersion,
    createdAt: createdAt.toISOString(),
    data,
  };
  return JSON.stringify(envelope);
}

/** A shorter part is not worth its own row. */
const leastShared = 2_048;

/**
 * The body with parts at the end of the data that other events share: short parts are in the body, the rest
 * beside it.
 */
export function writeSharedEnvelope(
  content: EnvelopeContent,
  parts: EventParts,
): { body: string; parts: EventParts | null } {
  const beginning = writeEnvelope(content).slice(0, -'}}'.length);
  const { notification, variables } = parts;
  if (notification.text.length + variables.text.length >= leastShared) return { body: beginning, parts };
  const body = `${beginning},"notification":${notification.text},"variables":${variables.text}}}`;
  return { body, parts: null };
}
