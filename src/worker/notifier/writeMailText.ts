import type { Notification } from '../../records/rules/writeNotification.ts';

/**
 * The text of a mail: the title, if any, above the body. It has no link, because there is no page for the
 * receiver.
 */
export function writeMailText({ title, body }: Notification): string {
  return title === undefined || title === '' ? body : `${title}\n\n${body}`;
}
