import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import type { WebhookEvent } from '../../client/src/webhooks/verifyWebhook.ts';

export type Inbox = {
  /**
   * Processes an event and stores it permanently; a stored one is only a repetition. If its processing fails, it is not
   * stored, and is processed when it comes again. So it is after a crash between the two.
   */
  take(event: WebhookEvent, handle: (event: WebhookEvent) => void): void;
};

/**
 * A file with one event per line, which survives crashes. In a receiver with a database this is a table whose
 * primary key is the event's id, and the event is processed in the transaction that inserts it.
 */
export function openInbox(file: string): Inbox {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const known = new Set(lines.flatMap(findId));
  /** Whether the last line has no end: a crash, or a full disk, has cut it. */
  let isCut = lines.at(-1) !== '' && lines.length > 0;
  return {
    take(event, handle) {
      if (known.has(event.id)) return;
      handle(event);
      const descriptor = openSync(file, 'a');
      try {
        const start = isCut ? '\n' : '';
        isCut = true;
        writeFileSync(descriptor, `${start}${JSON.stringify(event)}\n`);
        fsyncSync(descriptor);
        isCut = false;
      } finally {
        closeSync(descriptor);
      }
      known.add(event.id);
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
