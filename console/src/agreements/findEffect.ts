import { JsonCursor } from '../../../src/protocol/jsonCursor.ts';
import { findTransition } from '../../../src/protocol/lookups.ts';
import { member } from './member.ts';

/** This part loads the protocol: pages load it when somebody is about to sign. */

/** What an input does by the document. */
export type InputEffect = { readonly from: string; readonly to: string; readonly isExternal: boolean };

/** Undefined if the document does not take the input in this state. */
export function findEffect(
  { json, inputId }: { readonly json: unknown; readonly inputId: string },
  state: string | null,
): InputEffect | undefined {
  const transition = state === null ? undefined : findTransition(json, { state, inputId });
  if (!transition) return undefined;
  const { from, to } = transition;
  const actions = new JsonCursor(json).at('execution').at('actions').items();
  const isExternal = actions.some(
    ({ value }) => member(value, 'when', 'from') === from && member(value, 'when', 'input') === inputId,
  );
  return { from, to, isExternal };
}
