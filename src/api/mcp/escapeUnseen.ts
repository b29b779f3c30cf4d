import { unseen } from '../../protocol/unseen.ts';

/** JSON with escapes for all characters that are not seen, but for line breaks, which are between its members. It has the same value. */
export function escapeUnseen(json: string): string {
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(unseen, (character) =>
    character === '\n' ? character : character.split('').map(escapeUnit).join(''),
  );
}
