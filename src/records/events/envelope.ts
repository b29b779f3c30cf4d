import type { EventType } from '../../platform/database/tables/events.ts';

/** The version of the envelope and of the data in it, which receivers check. */
export const eventApiVersion = '2026-06-01';

/** An event as its receivers read it. */
export type Envelope = {
  id: string;
  type: EventType;
  apiVersion: typeof eventApiVersion;
  /** ISO 8601 with milliseconds, in UTC. */
  createdAt: string;
  data: Record<string, unknown>;
};

/** The body of an event: written once and kept, as its characters are what is signed. */
export function writeEnvelope({
  id,
  type,
  createdAt,
  data,
}: {
  id: string;
  type: EventType;
  createdAt: Date;
  data: Record<string, unknown>;
}): string {
  const envelope: Envelope = {
    id,
    type,
    apiVersion: eventApiVersion,
    createdAt: createdAt.toISOString(),
    data,
  };
  return JSON.stringify(envelope);
}
