import { RE2JS } from 're2js';
import { estimatePatternCost } from './patternCost.ts';

/** Bounds the total cost of the patterns in one request. */
export type PatternBudget = { remaining: number };

/** About 25 ms on a slow machine; patterns written by people use less than a hundredth of it. */
export function createPatternBudget(): PatternBudget {
  return { remaining: 400_000 };
}

/** Longer texts, and programs blown up by repetition counts, are not supported. */
const maxPatternLength = 1_000;
const maxProgramSize = 1_000;

/** Compiling an instruction, or reading a character, costs about this many instruction steps. */
const compileCost = 40;
const readCost = 10;

/** The outcome of a search. `unsupported` patterns are not enforced; `too costly` ones are refused. */
export type PatternOutcome = 'match' | 'no match' | 'unsupported' | 'too costly';

/**
 * Searches a text for an authored pattern. The engine's time is linear in the text, whatever the expression.
 * It does not support expressions that need backtracking (look-around, back-references).
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

/** Whether the pattern can be enforced; undefined if the budget ended first. */
export function isSupportedPattern(pattern: string, budget: PatternBudget): boolean | undefined {
  const compiled = compilePattern(pattern, budget);
  return compiled === 'too costly' ? undefined : compiled !== 'unsupported';
}

function compilePattern(pattern: string, budget: PatternBudget): RE2JS | 'unsupported' | 'too costly' {
  if (pattern.length > maxPatternLength) return 'unsupported';
  const { instructions, classes } = estimatePatternCost(pattern);
  if (instructions > maxProgramSize) return 'unsupported';
  if (!spend(budget, pattern.length * readCost + instructions * compileCost + classes)) return 'too costly';
  return parsePattern(pattern) ?? 'unsupported';
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
