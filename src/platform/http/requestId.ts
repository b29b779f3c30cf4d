import { createId } from '../database/ids.ts';

const sane = /^[\w.:@=+/-]{1,128}$/;

/**
 * The caller's own correlation id if it is short and plain enough to be logged and returned; otherwise a new
 * one.
 */
export function chooseRequestId(sent: string | null): string {
  return sent !== null && sane.test(sent) ? sent : createId('req');
}
