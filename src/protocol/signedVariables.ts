import { listCallReferences } from './callReferences.ts';
import { listInitialVariables } from './initialData.ts';
import { JsonCursor } from './jsonCursor.ts';

/**
 * The variables whose values a deployment's signature covers: those that `initialize.data` refers to, which the contract
 * stores, and those that the calls of actions refer to. The signature is the same whatever the other variables' values.
 */
export function listSignedVariables(agreement: unknown): ReadonlySet<string> {
  const root = new JsonCursor(agreement);
  const actions = root.at('execution').at('actions').items();
  const called = actions.flatMap((action) => listCallReferences(action.at('call')));
  return new Set([...listInitialVariables(root), ...called].map(({ name }) => name));
}
