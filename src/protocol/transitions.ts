import type { JsonCursor } from './jsonCursor.ts';

/** One transition as authored, by names. */
export type AuthoredTransition = { readonly from: string; readonly to: string; readonly input: string };

/**
 * `execution.transitions` in order. The input is that of the first condition; a transition without an input
 * is refused.
 */
export function readTransitions(agreement: JsonCursor): AuthoredTransition[] {
  const transitions = agreement.at('execution').at('transitions').items();
  return transitions.map(readTransition).filter((transition) => transition !== undefined);
}

function readTransition(transition: JsonCursor): AuthoredTransition | undefined {
  const from = transition.member('from').text();
  const to = transition.at('to').text();
  const input = readFirstInput(transition.at('conditions'));
  return from === undefined || to === undefined || input === undefined ? undefined : { from, to, input };
}

function readFirstInput(conditions: JsonCursor): string | undefined {
  const first = conditions.items()[0];
  if (first === undefined) {
    conditions.refuse('must name the input of the transition in its first item');
    return undefined;
  }
  const input = first.member('input');
  if (input.value === '') input.refuse('must not be empty');
  return input.text();
}
