import { unseen } from './unseen.ts';

const blank = /^[\s\u2800]*$/;

/** Whether a reader sees nothing of a text, although it is more than spaces: of empty Braille patterns and characters that are invisible by themselves. */
export function isHidden(text: string): boolean {
  return /\S/.test(text) && blank.test(text.replace(unseen, ''));
}
