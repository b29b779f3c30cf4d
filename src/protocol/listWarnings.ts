import { warnOfContent } from './contentWarnings.ts';
import { warnOfDefinition } from './definitionWarnings.ts';
import type { Issue } from './errors.ts';
import type { Field } from './fields.ts';
import { warnOfFlow } from './flowWarnings.ts';
import { readInitialData } from './initialData.ts';
import { readInputs } from './inputDefinitions.ts';
import { listIssues } from './issueList.ts';
import { isJsonObject, JsonCursor } from './jsonCursor.ts';
import { warnOfNumbers } from './numberWarnings.ts';
import { createPatternBudget } from './pattern.ts';
import { readVariables } from './variables.ts';

/** Things in a valid document that its author may not have intended. */
export function listWarnings(agreement: unknown): readonly Issue[] {
  const root = new JsonCursor(agreement);
  const budget = createPatternBudget();
  const variables = readVariables(root);
  const participants = variables.filter(
    ({ isParticipant, declaredType }) => isParticipant && declaredType !== 'address',
  );
  const fields = readInputs(root).flatMap((input) => input.fields.filter(({ isVariable }) => !isVariable));
  return listIssues([
    ...variables.flatMap((variable) => warnOfDefinition(variable, budget)),
    ...participants.map(({ place }) => ({
      path: place.path,
      message: 'is a participant that is not of type address',
    })),
    ...fields.flatMap((field) => warnOfField(field) ?? warnOfDefinition(field, budget)),
    ...warnOfInitialData(root),
    ...warnOfFlow(root),
    ...warnOfContent(root),
    ...listIssues(warnOfNumbers(agreement)),
  ]);
}

/** A field whose definition is not an object and refers to no declared variable. */
function warnOfField({ place }: Field): Issue[] | undefined {
  if (isJsonObject(place.value)) return undefined;
  const message =
    typeof place.value === 'string'
      ? 'refers to no declared variable and is treated as a string'
      : 'is neither a reference nor a definition and is treated as a required string';
  return [{ path: place.path, message }];
}

function warnOfInitialData(root: JsonCursor): Issue[] {
  const idle = [...readInitialData(root)].filter(({ variable }) => variable === undefined);
  return idle.map(({ entry: { path } }) => ({
    path,
    message: 'refers to no declared variable and is not stored',
  }));
}
