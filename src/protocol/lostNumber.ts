/** A number of a JSON text that is read as another one. */
export type LostNumber = {
  readonly offset: number;
  /** What stands in its place when it is written again: another number, or null. */
  readonly read: string;
};

/** An escaped character of a text, the begin or end of a text, or a number. */
const token = /\\.|"|-?\d[\d.eE+-]*/g;

/**
 * The first number of a valid JSON text that has too many digits, or is too large or too small, to be read as it is written.
 * Who parses such a text gets another value without notice: it would be signed instead of the written one.
 */
export function findLostNumber(json: string): LostNumber | undefined {
  let isInText = false;
  for (const { 0: text, index: offset } of json.matchAll(token)) {
    if (text === '"') isInText = !isInText;
    if (isInText || text === '"' || text.startsWith('\\')) continue;
    const read = JSON.stringify(Number(text));
    if (read === 'null' || normalize(read) !== normalize(text)) return { offset, read };
  }
  return undefined;
}

/** The one spelling of all numbers of this value. */
function normalize(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const written = whole + fraction;
  let start = 0;
  let end = written.length;
  // An expression that looks for the last digit would begin again at each of many zeros.
  while (end > 0 && written[end - 1] === '0') end--;
  if (end === 0) return '0';
  while (written[start] === '0') start++;
  const power = BigInt(exponent) + BigInt(whole.length - end);
  return `${number.startsWith('-') ? '-' : ''}${written.slice(start, end)}e${power}`;
}
