import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import { MalformedError } from '../../platform/errors/serviceError.ts';

export const idempotencyHeader = 'idempotency-key';

const maxLength = 255;
/**
 * Visible ASCII, except characters that need escapes in a quoted string, or that separate the values of a
 * repeated header.
 */
const keyPattern = new RegExp(`^[!#-+\\--[\\]-~]{1,${maxLength}}$`);

/**
 * The key of a request; undefined without one. The draft standard's quotes around it are not part of it.
 *
 * @throws MalformedError for a key that is empty, too long, or not plain enough.
 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const sent = headers.get(idempotencyHeader);
  if (sent === null) return undefined;
  const key = /^"(.*)"$/.exec(sent)?.[1] ?? sent;
  if (keyPattern.test(key)) return key;
  const message = `must be 1 to ${maxLength} visible ASCII characters other than quotes, commas and backslashes`;
  throw new MalformedError('The Idempotency-Key is invalid.', {
    field: 'Idempotency-Key',
    issues: [{ path: 'Idempotency-Key', message }],
  });
}

/** The identity of a request: its method, target and body, byte by byte. */
export function fingerprintRequest(request: { method: string; target: string; body: Uint8Array }): Hex {
  const { method, target, body } = request;
  const hash = createHash('sha256').update(`${method} ${target}\n`).update(body);
  return `0x${hash.digest('hex')}`;
}
