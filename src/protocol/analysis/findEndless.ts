import type { Exploration, Moment } from './exploreFlow.ts';
import type { Flow } from './flow.ts';

/** A state that has no way to a final state; `always` if that holds however the state was reached. */
export type Endless = { readonly state: string; readonly moment: Moment; readonly always: boolean };

/**
 * States without a way to a final state. A moment that was not fully searched may lead anywhere. After an incomplete
 * search a state may have other moments, so nothing holds always. Yields between its parts.
 */
export function* findEndless(
  flow: Flow,
  { moments, stoppedAt }: Exploration,
): Generator<undefined, Endless[]> {
  const ending = new Set(moments.filter(({ state, isExpanded }) => !isExpanded || !flow.leaving.has(state)));
  for (const moment of ending) {
    for (const before of moment.from) ending.add(before);
  }
  yield;
  const byState = Map.groupBy(moments, ({ state }) => state);
  yield;
  return flow.states.flatMap((state) => {
    const inState = byState.get(state) ?? [];
    const stuck = inState.filter((moment) => !ending.has(moment));
    const [moment] = stuck;
    const always = stoppedAt === null && stuck.length === inState.length;
    return moment === undefined ? [] : [{ state, moment, always }];
  });
}
