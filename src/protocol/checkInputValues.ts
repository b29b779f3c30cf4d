import { checkValue } from './checkValue.ts';
import { checkValueSizes } from './checkValueSizes.ts';
import { defaultValueLimits, type ValueLimits } from './documentLimits.ts';
import type { Issue } from './errors.ts';
import { groupBy } from './groupBy.ts';
import { findInput } from './inputDefinitions.ts';
import { listIssues } from './issueList.ts';
import { isJsonObject, JsonCursor, ownValue } from './jsonCursor.ts';
import { createPatternBudget } from './pattern.ts';

export type SubmittedInput = {
  readonly agreement: unknown;
  readonly inputId: string;
  readonly values: unknown;
};

/**
 * Everything wrong with the values of an input at once, as `values.FIELD`: unknown and missing fields, wrong
 * types and broken rules. If there are no issues, the contract finds no fault with the values either, as far
 * as values alone decide.
 */
export function checkInputValues(
  { agreement, inputId, values }: SubmittedInput,
  limits: ValueLimits = defaultValueLimits,
): readonly Issue[] {
  const input = findInput(new JsonCursor(agreement), inputId);
  if (input === undefined) return [{ path: 'inputId', message: 'is not an input of the agreement' }];
  if (!isJsonObject(values)) return [{ path: 'values', message: 'must be an object' }];
  const oversize = checkValueSizes({ root: 'values', values, limits });
  if (oversize.length > 0) return oversize;
  const budget = createPatternBudget();
  const fields = groupBy(input.fields, ({ name }) => name);
  const issueAt = (name: string, message: string): Issue => ({ path: `values.${name}`, message });
  const wrong = Object.keys(values).flatMap((name) => {
    const value = ownValue(values, name);
    const definitions = fields.get(name) ?? [];
    if (definitions.length === 0) return [issueAt(name, 'is not a field of the input')];
    if (definitions.some(({ fType }) => fType !== definitions[0]?.fType))
      return [issueAt(name, 'fits no value: the input has fields with this name and different types')];
    const messages = definitions.flatMap((definition) => checkValue({ value, definition, budget }).messages);
    return messages.map((message) => issueAt(name, message));
  });
  const missing = input.fields.filter((field) => field.required && !Object.hasOwn(values, field.name));
  return listIssues([...wrong, ...missing.map((field) => issueAt(field.name, 'is missing'))]);
}
