import type { Issue } from './errors.ts';
import { JsonCursor } from './jsonCursor.ts';
import { readVariables } from './variables.ts';

/**
 * Shapes that compiling ignores but a service relies on: parts are objects, content is text, every variable
 * is readable, and names are well-formed Unicode (only these have a UTF-8 text to hash).
 */
export function listShapeIssues(agreement: unknown): readonly Issue[] {
  const root = new JsonCursor(agreement);
  const execution = root.at('execution');
  const variables = root.at('variables');
  const states = execution.at('states');
  const inputs = execution.at('inputs');
  root.at('metadata').keys();
  for (const text of [root.at('content').member('type'), root.at('content').at('data')])
    if (!text.isAbsent) text.text();
  for (const name of variables.keys()) {
    const type = variables.at(name).at('type');
    if (variables.at(name).isAbsent) variables.at(name).refuse('must be an object');
    else if (!type.isAbsent) type.text();
  }
  readVariables(root);
  const fields = inputs.keys().flatMap((id) => [inputs.at(id).at('data'), inputs.at(id).at('schema')]);
  for (const names of [variables, states, inputs, root.at('contracts')]) refuseIllFormed(names, names.keys());
  for (const names of fields)
    if (typeof names.value === 'object') refuseIllFormed(names, Object.keys(names.value ?? {}));
  return root.issues;
}

function refuseIllFormed(named: JsonCursor, names: readonly string[]): void {
  for (const name of names)
    if (!name.isWellFormed()) named.at(name).refuse('has a name that is not well-formed Unicode');
}
