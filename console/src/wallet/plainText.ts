/** Characters that change the direction of a text or are invisible, and code units that are no character. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;
const broken = /[\p{Cc}\p{Z}]+/gu;
/** The rest of a longer text is ignored. */
const mostUnits = 4_000;

/** An untrusted text as one line of at most `longest` characters; empty if the value is no text. */
export function toPlainText(text: unknown, longest: number): string {
  if (typeof text !== 'string') return '';
  const line = text.slice(0, mostUnits).replace(unseen, '').replace(broken, ' ').trim();
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join('')}…`;
}
