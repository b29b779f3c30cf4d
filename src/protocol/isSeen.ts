import { unseen } from './unseen.ts';

const blank = /^[\s\u2800]*$/;

/** Whether a reader sees anything of a text: neither spaces, nor an empty Braille pattern, nor what is invisible by itself. */
export function isSeen(text: string): boolean {
  return !blank.test(text.replace(unseen, ''));
}
