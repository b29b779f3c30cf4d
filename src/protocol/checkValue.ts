import type { Definition } from './definition.ts';
import { type Bound, readBounds } from './fieldRules.ts';
import { FieldType } from './onChain.ts';
import { type PatternBudget, testPattern } from './pattern.ts';
import { parseBound } from './uint256.ts';
import { utf8Length } from './utf8.ts';
import { parseValue, type WireValue } from './values.ts';

export type CheckedValue = { readonly value: WireValue | undefined; readonly messages: readonly string[] };

/**
 * Checks a submitted value against its type and all of its validation rules: the bounds that the contract
 * checks, and `pattern` and `step`, which only a service can check. `value` is the wire form if the type is
 * right.
 */
export function checkValue({
  value,
  definition,
  budget,
}: {
  value: unknown;
  definition: Definition;
  budget: PatternBudget;
}): CheckedValue {
  const parsed = parseValue(value, definition);
  if (!parsed.ok) return { value: undefined, messages: [parsed.message] };
  if (typeof parsed.value === 'string' && !parsed.value.isWellFormed()) {
    return { value: undefined, messages: ['must be well-formed Unicode'] };
  }
  const broken = readBounds(definition).find((bound) => !keepsBound(parsed.value, bound));
  const text = String(typeof value === 'string' ? value : parsed.value);
  const messages = [
    broken && boundMessage(broken),
    patternMessage({ text, definition, budget }),
    stepMessage(parsed.value, definition),
  ];
  return { value: parsed.value, messages: messages.filter((message) => message !== undefined) };
}

function keepsBound(value: WireValue, { name, limit }: Bound): boolean {
  switch (name) {
    case 'min':
      return BigInt(value) >= limit;
    case 'max':
      return BigInt(value) <= limit;
    case 'minLength':
      return byteLength(value) >= limit;
    case 'maxLength':
      return byteLength(value) <= limit;
  }
}

function byteLength(value: WireValue): number {
  return utf8Length(String(value));
}

function boundMessage({ name, limit }: Bound): string {
  switch (name) {
    case 'min':
      return `must be at least ${limit}`;
    case 'max':
      return `must be at most ${limit}`;
    case 'minLength':
      return `must have at least ${limit} bytes of UTF-8`;
    case 'maxLength':
      return `must have at most ${limit} bytes of UTF-8`;
  }
}

function patternMessage({
  text,
  definition,
  budget,
}: {
  text: string;
  definition: Definition;
  budget: PatternBudget;
}): string | undefined {
  const pattern = definition.validation.at('pattern').value;
  if (typeof pattern !== 'string') return undefined;
  const outcome = testPattern({ pattern, text, budget });
  if (outcome === 'too costly') return 'is too long to be matched against its pattern';
  return outcome === 'no match' ? `must match the pattern ${pattern}` : undefined;
}

/** Steps count from `min`, or from 0 without one. Values below `min` are reported by that rule. */
function stepMessage(value: WireValue, { fType, validation }: Definition): string | undefined {
  const step = fType === FieldType.UINT256 ? readStep(validation.at('step').value) : undefined;
  const start = parseBound(validation.at('min').value) ?? 0n;
  if (step === undefined || BigInt(value) < start || (BigInt(value) - start) % step === 0n) return undefined;
  return start === 0n ? `must be a multiple of ${step}` : `must be ${start} plus a multiple of ${step}`;
}

/** A step that can be enforced: a whole number above zero. */
export function readStep(value: unknown): bigint | undefined {
  const step = parseBound(value);
  return step === 0n ? undefined : step;
}
