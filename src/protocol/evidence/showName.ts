import { nameHash } from '../names.ts';
import { unseen } from '../unseen.ts';

const mostCharacters = 80;
/** After a picture, it only asks for the colours of that picture. */
const asPicture = '\ufe0f';
const picture = /\p{Extended_Pictographic}$/u;

/**
 * A text of a file's maker or author for display: of one line, without characters that hide or reorder
 * others. A longer name is cut and followed by the beginning of its hash, so that cut names stay different.
 */
export function showName(name: string): string {
  const shown = name.replaceAll(unseen, (character, at: number) => {
    const before = name.slice(Math.max(0, at - 2), at);
    return character === asPicture && picture.test(before) ? character : '\ufffd';
  });
  if (shown.length <= mostCharacters) return shown;
  return `${shown.slice(0, mostCharacters).replace(/[\ud800-\udbff]$/, '')}… (${nameHash(name).slice(0, 10)})`;
}
