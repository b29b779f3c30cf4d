import { checkValue } from './checkValue.ts';
import { type Issue, uniqueIssues } from './errors.ts';
import { findInput } from './inputs.ts';
import { isJsonObject, JsonCursor, ownValue } from './jsonCursor.ts';
import { createPatternBudget } from './pattern.ts';

/**
 * Everything that is wrong with the values of an input at once, as `values.FIELD`: unknown and missing fields, wrong types and
 * broken rules. None means that the contract finds no fault with the values either, so far as they alone decide.
 */
export function checkInputValues({
  agreement,
  inputId,
  values,
}: {
  agreement: unknown;
  inputId: string;
  values: unknown;
}): Issue[] {
  const input = findInput(new JsonCursor(agreement), inputId);
  if (input === undefined) return [{ path: 'inputId', message: 'is not an input of the agreement' }];
  if (!isJsonObject(values)) return [{ path: 'values', message: 'must be an object' }];
  const names = Object.keys(values);
  const budget = createPatternBudget();
  const issueAt = (name: string, message: string): Issue => ({ path: `values.${name}`, message });
  const wrong = names.flatMap((name) => {
    const value = ownValue(values, name);
    const definitions = input.fields.filter((field) => field.name === name);
    if (definitions.length === 0) return [issueAt(name, 'is not a field of the input')];
    return definitions.flatMap((definition) =>
      checkValue({ value, definition, budget }).messages.map((message) => issueAt(name, message)),
    );
  });
  const missing = input.fields.filter((field) => field.required && !names.includes(field.name));
  return uniqueIssues([...wrong, ...missing.map((field) => issueAt(field.name, 'is missing'))]);
}
