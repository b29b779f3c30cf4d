import type { Exploration, Moment } from './exploreFlow.ts';
import type { Flow } from './flow.ts';

/** A state that has no way to a final state; `always` if that holds however the state was reached. */
export type Endless = { readonly state: string; readonly moment: Moment; readonly always: boolean };

/** States without a way to a final state. A moment that was not fully searched may lead anywhere. */
export function findEndless(flow: Flow, { moments }: Exploration): Endless[] {
  const ending = new Set(moments.filter(({ state, isExpanded }) => !isExpanded || !flow.leaving.has(state)));
  for (const moment of ending) {
    for (const before of moment.from) ending.add(before);
  }
  const byState = Map.groupBy(moments, ({ state }) => state);
  return flow.states.flatMap((state) => {
    const inState = byState.get(state) ?? [];
    const stuck = inState.filter((moment) => !ending.has(moment));
    const [moment] = stuck;
    return moment === undefined ? [] : [{ state, moment, always: stuck.length === inState.length }];
  });
}
