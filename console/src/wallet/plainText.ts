/** What turns the direction of a text, hides a part of it, or is no character. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;
const broken = /[\p{Cc}\p{Z}]+/gu;
/** Of a text without an end no more is looked at. */
const mostUnits = 4_000;

/** What a stranger calls itself, as one line of so many characters at most; empty for anything but text. */
export function toPlainText(text: unknown, longest: number): string {
  if (typeof text !== 'string') return '';
  const line = text.slice(0, mostUnits).replace(unseen, '').replace(broken, ' ').trim();
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join('')}…`;
}
