import { readStates } from '../../../client/src/cli/diagram/readStates.ts';

export type Way = { readonly from: string; readonly to: string; readonly inputs: readonly string[] };
export type State = { readonly id: string; readonly description: string | undefined };
export type Graph = {
  readonly initial: string | undefined;
  readonly states: readonly State[];
  readonly ways: readonly Way[];
  /** What people read of an input. */
  readonly nameOf: (inputId: string) => string;
};

/** The readable states of a document and the ways between them; inputs keep their ids unless `nameOf` names them. */
export function readGraph(agreement: unknown, nameOf: Graph['nameOf'] = (inputId) => inputId): Graph {
  const { initial, states, transitions } = readStates(agreement);
  return { initial, states, ways: transitions, nameOf };
}

export function keyOfWay({ from, to }: Pick<Way, 'from' | 'to'>): string {
  return JSON.stringify([from, to]);
}

/** The part of a graph that an agreement has passed through, and its possible next steps. */
export type Standing = {
  readonly current: string | undefined;
  /** Keys of ways. */
  readonly taken: ReadonlySet<string>;
  readonly visited: ReadonlySet<string>;
};

type Step = { readonly fromState?: string | undefined; readonly toState?: string | undefined };

/** An agreement's position from its inputs, in any order. */
export function findStanding(
  current: string | undefined,
  initial: string | undefined,
  steps: readonly Step[],
): Standing {
  const visited = new Set(initial === undefined || current === undefined ? [] : [initial]);
  const taken = new Set<string>();
  for (const { fromState, toState } of steps) {
    if (fromState === undefined || toState === undefined) continue;
    visited.add(fromState).add(toState);
    taken.add(keyOfWay({ from: fromState, to: toState }));
  }
  return { current, taken, visited };
}
