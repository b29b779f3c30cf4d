/** What a pattern costs before anything is matched: bounds that need not be exact, found without building it. */
export type PatternCost = {
  /** Instructions of its program. */
  readonly instructions: number;
  /** Of building its classes of characters, in the time of one instruction's step. */
  readonly classes: number;
};

/** A class of Unicode brings hundreds of ranges; where case is ignored, each is folded. */
const unicodeClassCost = 16_000;
const foldedClassCost = 50_000;
/** Of each character in a range whose case is ignored. */
const foldedCharacterCost = 0.7;
const allCharacters = 0x110000;

/**
 * Bounds what building a pattern's program costs. Groups count as often as they are repeated, which is what blows programs up; what
 * is no pattern at all has some cost too.
 */
export function estimatePatternCost(pattern: string): PatternCost {
  const isFolded = /\(\?[a-zA-Z]*i/.test(pattern);
  const classes = pattern.match(/\\[pP]/g)?.length ?? 0;
  return {
    instructions: countInstructions(pattern),
    classes:
      classes * (isFolded ? foldedClassCost : unicodeClassCost) +
      (isFolded ? countFolded(pattern) * foldedCharacterCost : 0),
  };
}

/** An item of a pattern, or an operator behind one. */
const tokens =
  /\\[pP]\{[^}]*\}|\\[xu]\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d+)(,?)(\d*)\}|[\s\S]/gu;

function countInstructions(pattern: string): number {
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  for (const [token, least, comma, bound] of pattern.matchAll(tokens)) {
    if (token === '(') {
      outer.push(sum + last);
      [sum, last] = [2, 0];
    } else if (token === ')') {
      [sum, last] = [outer.pop() ?? 0, sum + last];
    } else if (least !== undefined) {
      const always = Number(least);
      const most = comma === '' ? always : Math.max(always + 1, Number(bound));
      // What may be left out costs a branch each time.
      last = Math.min(last * most + (most - always), Number.MAX_SAFE_INTEGER);
    } else if (token === '*' || token === '+' || token === '?') {
      last += 1;
    } else {
      sum += last;
      last = 1;
    }
  }
  return sum + last + outer.reduce((all, part) => all + part, 0);
}

const range =
  /(\\[xu]\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[\s\S]|[^\\])-(\\[xu]\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[\s\S]|[^\\])/gu;

function countFolded(pattern: string): number {
  let characters = 0;
  for (const [, from = '', to = ''] of pattern.matchAll(range)) {
    const width = codeOf(to, allCharacters) - codeOf(from, 0);
    if (width > 0) characters += Math.min(width, allCharacters);
  }
  return characters;
}

/** The character that a text stands for; the one given where that is not plain. */
function codeOf(text: string, otherwise: number): number {
  const digits = /^\\[xu]\{?([0-9a-fA-F]+)\}?$/.exec(text)?.[1];
  if (digits !== undefined) return Number.parseInt(digits, 16);
  return text.startsWith('\\') ? otherwise : (text.codePointAt(0) ?? otherwise);
}
