import { randomBytes } from 'node:crypto';
import { showUnseen } from '../../protocol/showUnseen.ts';
import { blankOf, type Piece, type Reference } from '../../records/documents/fillTemplate.ts';
import { escapeHtml } from './escapeHtml.ts';

/**
 * A template with marks in place of references, and the functions that replace marks in the rendered text by
 * values.
 */
export type MarkedTemplate = {
  readonly text: string;
  /**
   * Escaped text between tags with the values filled in, each isolated from the direction of the surrounding
   * text.
   */
  fillText(escaped: string): string;
  /** The URL with the values filled in; undefined if a value is unknown. */
  fillUrl(url: string): string | undefined;
};

/**
 * Replaces each reference by a mark. Values are inserted only after the text was parsed and sanitised, so
 * that no value is ever read as Markdown or HTML. A mark is a word everywhere and cannot be predicted: digits
 * and letters, beginning with a digit, so that `<mark>` is no tag.
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
        // A value at the beginning is a whole address; any other is part of the address and must not split
        // it.
        return offset === 0 ? (value ?? '') : encodeURIComponent((value ?? '').toWellFormed());
      });
      return isKnown ? filled : undefined;
    },
  };
}

function writeReference(reference: Reference): string {
  const { value } = reference;
  if (value === undefined) return `<bdi class="blank">${blankOf(reference)}</bdi>`;
  return `<bdi>${escapeHtml(showUnseen(value))}</bdi>`;
}
