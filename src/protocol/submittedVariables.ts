import { type Field, readFields } from './fields.ts';
import { JsonCursor } from './jsonCursor.ts';
import { findVariable } from './variables.ts';

/** Whether the submitted value of a field becomes that of a variable: the field refers to it, or has its name and on-chain type. */
export function isOfVariable(agreement: JsonCursor, field: Field): boolean {
  return field.isVariable || findVariable(agreement, field.name)?.fType === field.fType;
}

/** The variables whose values an input sets, if its fields are submitted. */
export function listSubmittedVariables(agreement: unknown, inputId: string): ReadonlySet<string> {
  const root = new JsonCursor(agreement);
  const fields = readFields(root, root.at('execution').at('inputs').at(inputId));
  return new Set(fields.filter((field) => isOfVariable(root, field)).map(({ name }) => name));
}
