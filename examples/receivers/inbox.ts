import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { WebhookEvent } from '../../client/src/webhooks/verifyWebhook.ts';

export type Inbox = {
  /** Stores an event permanently, and returns whether it is new: a stored one is only a repetition. */
  store(event: WebhookEvent): boolean;
};

/**
 * A file with one event per line, which survives crashes. In a receiver with a database this is a table whose
 * primary key is the event's id, and the event is processed in the transaction that inserts it.
 */
export function openInbox(file: string): Inbox {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const known = new Set(lines.flatMap(findId));
  return {
    store(event) {
      if (known.has(event.id)) return false;
      const handle = openSync(file, 'a');
      try {
        writeSync(handle, `${JSON.stringify(event)}\n`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      known.add(event.id);
      return true;
    },
  };
}

/** A crash may have left half a line: that event was not answered, so it comes again. */
function findId(line: string): string[] {
  try {
    const { id } = JSON.parse(line);
    return [String(id)];
  } catch {
    return [];
  }
}
