import { randomBytes } from 'node:crypto';
import { blankOf, type Piece, type Reference } from '../../records/documents/fillTemplate.ts';
import { escapeHtml } from './escapeHtml.ts';

/** A template whose references are marks, and what turns the marks of the rendered text into values. */
export type MarkedTemplate = {
  readonly text: string;
  /** Escaped text between tags with the values in it, each cut off from the direction of the text around it. */
  fillText(escaped: string): string;
  /** The URL with the values in it; undefined where one is not known. */
  fillUrl(url: string): string | undefined;
};

/**
 * Puts a mark in the place of each reference. Values are written into what has become of the text only after it was parsed and
 * sanitised, so that no value is ever read as Markdown or HTML. A mark reads as a word everywhere, and nobody can foresee it:
 * digits and letters, the first a digit, so that `<mark>` is no tag.
 */
export function markTemplate(pieces: readonly Piece[]): MarkedTemplate {
  const nonce = randomBytes(8).toString('hex');
  const numbers = new Map<string, number>();
  const references: Reference[] = [];

  const markOf = (reference: Reference): string => {
    const known = numbers.get(reference.name);
    const number = known ?? references.push(reference) - 1;
    numbers.set(reference.name, number);
    return `0q${nonce}q${number}q`;
  };
  const pattern = new RegExp(`0q${nonce}q(\\d+)q`, 'g');
  const find = (number: string) => references[Number(number)];

  return {
    text: pieces.map((piece) => (typeof piece === 'string' ? piece : markOf(piece))).join(''),
    fillText(escaped) {
      return escaped.replace(pattern, (mark, number: string) => {
        const reference = find(number);
        return reference ? writeReference(reference) : mark;
      });
    },
    fillUrl(url) {
      let isKnown = true;
      const filled = url.replace(pattern, (_mark, number: string, offset: number) => {
        const value = find(number)?.value;
        if (value === undefined) isKnown = false;
        // A value that begins the address is one itself, any other is a part of the address and must not become two.
        return offset === 0 ? (value ?? '') : encodeURIComponent((value ?? '').toWellFormed());
      });
      return isKnown ? filled : undefined;
    },
  };
}

function writeReference(reference: Reference): string {
  const { value } = reference;
  if (value === undefined) return `<bdi class="blank">${blankOf(reference)}</bdi>`;
  return `<bdi>${escapeHtml(value)}</bdi>`;
}
