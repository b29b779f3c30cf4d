import type { Exploration, Moment } from './exploreFlow.ts';
import type { Flow } from './flow.ts';

/** A state in which one may be stuck; `always` where it does not matter how one came there. */
export type Endless = { readonly state: string; readonly moment: Moment; readonly always: boolean };

/** States that are left for no final state. What was not looked at to its end may lead anywhere. */
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
