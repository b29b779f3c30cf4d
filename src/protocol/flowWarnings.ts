import type { Issue } from './errors.ts';
import { groupBy } from './groupBy.ts';
import type { JsonCursor } from './jsonCursor.ts';
import { type AuthoredTransition, readTransitions } from './transitions.ts';

/** Warnings about an agreement's course: states, inputs and transitions that never occur. */
export function warnOfFlow(agreement: JsonCursor): Issue[] {
  const execution = agreement.at('execution');
  const transitions = readTransitions(agreement);
  const reached = reachableStates(execution.at('initialize').at('initialState').value, transitions);
  const led = new Set(transitions.map(({ input }) => input));
  const unreachable = execution
    .at('states')
    .keys()
    .filter((state) => !reached.has(state));
  const idle = execution
    .at('inputs')
    .keys()
    .filter((input) => !led.has(input));
  return [
    ...unreachable.map((state) => ({ path: `execution.states.${state}`, message: 'cannot be reached' })),
    ...idle.map((input) => ({ path: `execution.inputs.${input}`, message: 'is named by no transition' })),
    ...warnOfTransitions(execution.at('transitions').items()),
  ];
}

/** The states reachable from the initial one, including itself. */
function reachableStates(initial: unknown, transitions: readonly AuthoredTransition[]): ReadonlySet<unknown> {
  const next = groupBy(transitions, ({ from }): unknown => from);
  const reached = new Set([initial]);
  for (const state of reached) {
    for (const { to } of next.get(state) ?? []) reached.add(to);
  }
  return reached;
}

function warnOfTransitions(transitions: readonly JsonCursor[]): Issue[] {
  const taken = new Set<string>();
  return transitions.flatMap((transition) => {
    const conditions = transition.at('conditions').items();
    const occasion = JSON.stringify([transition.at('from').value, conditions[0]?.at('input').value]);
    const isShadowed = taken.has(occasion);
    taken.add(occasion);
    return [
      ...(conditions.length > 1
        ? [{ path: `${transition.path}.conditions`, message: 'only the first condition counts' }]
        : []),
      ...(isShadowed
        ? [{ path: transition.path, message: 'never happens: an earlier one has the same state and input' }]
        : []),
    ];
  });
}
