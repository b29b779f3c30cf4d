import type { JsonCursor } from './jsonCursor.ts';
import { findVariableReference } from './references.ts';

/** A text of an action's call, and the variable that it refers to. */
export type CallReference = { readonly place: JsonCursor; readonly name: string };

/** The variables whose values an action's call needs, declared or not: for its target and its arguments. */
export function listCallReferences(call: JsonCursor): CallReference[] {
  return [call.at('target'), ...call.at('args').items()].flatMap((place) => {
    const name = typeof place.value === 'string' ? findVariableReference(place.value) : undefined;
    return name === undefined ? [] : [{ place, name }];
  });
}
