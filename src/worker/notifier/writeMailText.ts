import type { Notification } from '../../records/rules/writeNotification.ts';

/** The text of a mail: the title, if there is one, above the body. What to click on needs a page of the receiver's own. */
export function writeMailText({ title, body }: Notification): string {
  return title === undefined || title === '' ? body : `${title}\n\n${body}`;
}
