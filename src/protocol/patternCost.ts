/** The cost of a pattern before matching: upper bounds, computed without building it. */
export type PatternCost = {
  /** Number of instructions in its program. */
  readonly instructions: number;
  /** Cost of building its character classes, in instruction steps. */
  readonly classes: number;
};

/** A Unicode class has hundreds of ranges; without case, each of them is folded. */
const unicodeClassCost = 16_000;
const foldedClassCost = 50_000;
/** Cost of each character in a range when case is ignored. */
const foldedCharacterCost = 0.7;
const allCharacters = 0x110000;

/**
 * An upper bound for the cost of building a pattern's program. Groups count as often as they are repeated,
 * which is what blows programs up. Invalid patterns have some cost too.
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

/** A class or character with a name or number in braces; it ends at the first `}`. */
const braced = /\\[pPxu]\{[^}]*\}/uy;
/** A character class; it ends at an unescaped `]`. */
const characterClass = /\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]/uy;
/** Any other item of a pattern, or the operator after it. */
const plain = /\\[\s\S]|\{(\d+)(?:(,)(\d*))?\}|[\s\S]/uy;

/**
 * The tokens of a pattern, in time linear in its length: if no end follows any more, no item is searched that needs
 * one.
 */
function* readTokens(pattern: string): Generator<RegExpExecArray> {
  const lastBrace = pattern.lastIndexOf('}');
  const lastBracket = findLastBracket(pattern);
  for (let at = 0; at < pattern.length; ) {
    const token =
      (at < lastBrace && execAt(braced, pattern, at)) ||
      (at < lastBracket && execAt(characterClass, pattern, at)) ||
      execAt(plain, pattern, at);
    if (!token) return;
    yield token;
    at += token[0].length;
  }
}

function execAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** The position of the last unescaped `]`; -1 if there is none. */
function findLastBracket(pattern: string): number {
  let last = -1;
  for (const { 0: item, index } of pattern.matchAll(/\\[\s\S]|\]/g)) if (item === ']') last = index;
  return last;
}

function countInstructions(pattern: string): number {
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  for (const [token, least, comma, bound] of readTokens(pattern)) {
    if (token === '(') {
      outer.push(sum + last);
      [sum, last] = [2, 0];
    } else if (token === ')') {
      [sum, last] = [outer.pop() ?? 0, sum + last];
    } else if (least !== undefined) {
      const always = Number(least);
      const most = comma === undefined ? always : Math.max(always + 1, Number(bound));
      // Each optional item costs a branch.
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

/** The character that a text stands for; the given one if it is not a simple character. */
function codeOf(text: string, otherwise: number): number {
  const digits = /^\\[xu]\{?([0-9a-fA-F]+)\}?$/.exec(text)?.[1];
  if (digits !== undefined) return Number.parseInt(digits, 16);
  return text.startsWith('\\') ? otherwise : (text.codePointAt(0) ?? otherwise);
}
