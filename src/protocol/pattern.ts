import { RE2JS } from 're2js';

/** Bounds what the patterns of one request may cost together. */
export type PatternBudget = { remaining: number };

/** About half a second on a slow machine; patterns as people write them use less than a thousandth of it. */
export function createPatternBudget(): PatternBudget {
  return { remaining: 8_000_000 };
}

/** Longer texts, and programs that repetition counts blow up, are not supported. */
const maxPatternLength = 1_000;
const maxProgramSize = 2_000;

/** Compiling one instruction costs about as much as running it this many times. */
const compileCost = 16;

/** The outcome of looking for a pattern in a text. `unsupported` patterns are not enforced, `too costly` ones are refused. */
export type PatternOutcome = 'match' | 'no match' | 'unsupported' | 'too costly';

/**
 * Looks for an authored pattern anywhere in a text. The engine's time is linear in the text, whatever the expression; it does
 * not support what would need backtracking (look-around, back-references).
 */
export function testPattern({
  pattern,
  text,
  budget,
}: {
  pattern: string;
  text: string;
  budget: PatternBudget;
}): PatternOutcome {
  const compiled = compilePattern(pattern, budget);
  if (typeof compiled === 'string') return compiled;
  if (!spend(budget, compiled.programSize() * text.length)) return 'too costly';
  return compiled.test(text) ? 'match' : 'no match';
}

/** Whether the pattern can be enforced; undefined where the budget ended before that could be told. */
export function isSupportedPattern(pattern: string, budget: PatternBudget): boolean | undefined {
  const compiled = compilePattern(pattern, budget);
  return compiled === 'too costly' ? undefined : compiled !== 'unsupported';
}

function compilePattern(pattern: string, budget: PatternBudget): RE2JS | 'unsupported' | 'too costly' {
  if (pattern.length > maxPatternLength) return 'unsupported';
  if (!spend(budget, pattern.length * compileCost)) return 'too costly';
  const compiled = parsePattern(pattern);
  if (compiled === undefined || compiled.programSize() > maxProgramSize) return 'unsupported';
  return spend(budget, compiled.programSize() * compileCost) ? compiled : 'too costly';
}

function parsePattern(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return undefined;
  }
}

function spend(budget: PatternBudget, cost: number): boolean {
  if (budget.remaining < cost) return false;
  budget.remaining -= cost;
  return true;
}
