import { readStep } from './checkValue.ts';
import type { Definition } from './definition.ts';
import type { Issue } from './errors.ts';
import { isKnownType } from './fieldType.ts';
import type { JsonCursor } from './jsonCursor.ts';
import { FieldType } from './onChain.ts';
import { isSupportedPattern, type PatternBudget } from './pattern.ts';
import { quote } from './quote.ts';

/** Warnings about the type and rules of one variable or field. */
export function warnOfDefinition(definition: Definition, budget: PatternBudget): Issue[] {
  const { declaredType, validation, place } = definition;
  const warnings = [
    warnOfPattern(validation.at('pattern'), budget),
    warnOfStep(validation.at('step'), definition),
  ];
  if (declaredType === undefined) {
    warnings.push({ path: place.path, message: 'has no type and is treated as a string' });
  } else if (!isKnownType(declaredType)) {
    const message = `is the unknown type ${quote(declaredType)} and is treated as a string`;
    warnings.push({ path: `${place.path}.type`, message });
  }
  return [...warnings.filter((warning) => warning !== undefined), ...warnOfIdleBounds(definition)];
}

function warnOfPattern(pattern: JsonCursor, budget: PatternBudget): Issue | undefined {
  if (pattern.isAbsent) return undefined;
  const supported = typeof pattern.value === 'string' && isSupportedPattern(pattern.value, budget);
  if (supported === undefined)
    return { path: pattern.path, message: 'was not looked at: the document has too many patterns' };
  return {
    path: pattern.path,
    message: supported ? onlyHere : 'is not supported (RE2 syntax is) and not enforced',
  };
}

function warnOfStep(step: JsonCursor, { fType }: Definition): Issue | undefined {
  if (step.isAbsent) return undefined;
  const enforced = fType === FieldType.UINT256 && readStep(step.value) !== undefined;
  return {
    path: step.path,
    message: enforced ? onlyHere : 'is not a whole number above 0 of a uint256 and not enforced',
  };
}

const onlyHere = 'has no on-chain form: the service enforces it, the contract does not';

/** Nobody enforces bounds that belong to another type. */
function warnOfIdleBounds({ fType, validation }: Definition): Issue[] {
  const idle = [
    ...(fType === FieldType.UINT256 ? [] : ['min', 'max']),
    ...(fType === FieldType.STRING ? [] : ['minLength', 'maxLength']),
  ];
  const places = idle.map((name) => validation.at(name)).filter((place) => !place.isAbsent);
  return places.map(({ path }) => ({ path, message: 'does not apply to this type and is not enforced' }));
}
