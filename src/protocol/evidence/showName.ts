import { nameHash } from '../names.ts';
import { unseen } from '../unseen.ts';

const mostCharacters = 80;

/**
 * A text of a file's maker or author for display: of one line, without characters that hide or reorder
 * others. A longer name is cut and followed by the beginning of its hash, so that cut names stay different.
 */
export function showName(name: string): string {
  const shown = name.replaceAll(unseen, '\ufffd');
  if (shown.length <= mostCharacters) return shown;
  return `${shown.slice(0, mostCharacters).replace(/[\ud800-\udbff]$/, '')}… (${nameHash(name).slice(0, 10)})`;
}
