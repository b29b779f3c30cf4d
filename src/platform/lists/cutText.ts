import { hash } from 'node:crypto';
import { z } from 'zod';

/** The beginning of a long text, and a digest of all of it. */
export type CutText = readonly [prefix: string, digest: string];

/** Of UTF-8 in JSON: the form in which cursors hold texts. */
const mostBytes = 64;

/** Only values that can be stored: the database would refuse others as parameters too. */
export const storableText = z.string().refine((text) => text.isWellFormed() && !text.includes('\0'));
export const cutTextShape = z.tuple([storableText.max(mostBytes), z.string().regex(/^[\w-]{16}$/)]);

/** The text itself, if it is short enough for a cursor. */
export function cutText(text: string): string | CutText {
  let prefix = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - '""'.length;
    if (bytes > mostBytes) return [prefix, digestOf(text)];
    prefix += character;
  }
  return text;
}

export function isCutOf([, digest]: CutText, text: string): boolean {
  return digest === digestOf(text);
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}
