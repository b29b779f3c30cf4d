/** What a reader takes for one character. */
export const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

const narrow = /^[\u0020-\u02ff]*$/;
const mark = /^[\p{M}\p{Default_Ignorable_Code_Point}]+$/u;
/** Scripts and forms of East Asia that terminals draw two columns wide, and emoji. */
const wide =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u2ff0-\u303e\u3041-\u33ff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
/** Of the same scripts, but narrow, and their marks too take a column of their own. */
const halfwidth = /^[\uff61-\uffdc]+$/;

/** The columns of a terminal that one line of text takes. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of characters.segment(text))
    if (halfwidth.test(segment)) columns += segment.length;
    else if (!mark.test(segment)) columns += wide.test(segment) ? 2 : 1;
  return columns;
}
