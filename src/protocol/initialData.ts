import type { JsonCursor } from './jsonCursor.ts';
import { findVariableReference } from './references.ts';
import { findVariable, type Variable } from './variables.ts';

/** An entry of `initialize.data`, and the declared variable that it refers to. */
export type InitialEntry = { readonly entry: JsonCursor; readonly variable: Variable | undefined };

/** The entries of `initialize.data`, in the document's order. */
export function* readInitialData(root: JsonCursor): Generator<InitialEntry> {
  const data = root.at('execution').at('initialize').at('data');
  for (const key of data.keys()) {
    const entry = data.at(key);
    const name = typeof entry.value === 'string' ? findVariableReference(entry.value) : undefined;
    yield { entry, variable: name === undefined ? undefined : findVariable(root, name) };
  }
}

/** The variables that the contract holds from its creation. */
export function listInitialVariables(root: JsonCursor): Variable[] {
  return [...readInitialData(root)].flatMap(({ variable }) => variable ?? []);
}
