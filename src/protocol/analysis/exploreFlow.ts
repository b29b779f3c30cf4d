import type { Flow, FlowInput, FlowTransition, Sender, Stored } from './flow.ts';

/** Limits of the search. The same document gives the same answer on any machine. */
export type ExplorationLimits = {
  readonly moments: number;
  /** Inputs tried at moments; an input that reads many variables counts as several. */
  readonly steps: number;
};
export const defaultExplorationLimits: ExplorationLimits = { moments: 10_000, steps: 50_000 };
/**
 * Optional fields of one input that are tried in all combinations. With more fields: none, each alone, and
 * all.
 */
const maxCombined = 6;
/** Steps after which the search yields to the caller. */
const stepsAtOnce = 250;
/** Variables that can be read in the time of one tried input. */
const variablesPerStep = 32;

/** A state with its stored variables, and the path to it. */
export type Moment = {
  readonly state: string;
  readonly stored: Stored;
  readonly before: { readonly moment: Moment; readonly input: string } | undefined;
  /** The moments that lead here. */
  readonly from: Moment[];
  /** Whether everything that can follow has been searched. */
  isExpanded: boolean;
};

/** The findings about one transition. */
export type Seen = {
  readonly transition: FlowTransition;
  /** Where somebody could take it. */
  taken: Moment | undefined;
  /** Where nobody could take it because a variable is missing. */
  blocked: { readonly moment: Moment; readonly variable: string } | undefined;
  /** Where issuers named by a variable could not take it, because the variable was not stored. */
  narrowed: { readonly moment: Moment; readonly variable: string } | undefined;
};

export type Exploration = {
  readonly moments: readonly Moment[];
  /** Keyed by the path of the transition. */
  readonly seen: ReadonlyMap<string, Seen>;
  /** What ended the search early; null if it was complete. */
  readonly stoppedAt: 'moments' | 'steps' | 'optional_fields' | null;
};

/** Every state with every set of stored variables that inputs can lead to, nearest first. Yields regularly. */
export function* exploreFlow(flow: Flow, limits: ExplorationLimits): Generator<undefined, Exploration> {
  const first: Moment = {
    state: flow.initialState,
    stored: 0n,
    before: undefined,
    from: [],
    isExpanded: false,
  };
  const known = new Map([[keyOf(first), first]]);
  const moments = [first];
  const seen = new Map<string, Seen>();
  const stop: { at: Exploration['stoppedAt'] } = { at: null };
  let steps = 0;
  let paused = 0;

  /** Whether there was room for the next moment. */
  const arrive = (moment: Moment, { to, input }: FlowTransition, stored: Stored): boolean => {
    const key = keyOf({ state: to, stored });
    const next = known.get(key);
    if (next === undefined && moments.length >= limits.moments) return false;
    const arrived = next ?? {
      state: to,
      stored,
      before: { moment, input },
      from: [],
      isExpanded: false,
    };
    arrived.from.push(moment);
    if (next === undefined) {
      known.set(key, arrived);
      moments.push(arrived);
    }
    return true;
  };

  for (const moment of moments) {
    if (steps >= limits.steps) {
      stop.at = 'steps';
      break;
    }
    let isComplete = true;
    for (const transition of flow.leaving.get(moment.state) ?? []) {
      const input = flow.inputs.get(transition.input);
      if (input === undefined) continue;
      const { sets, isPartial } = listStored(input, moment.stored);
      if (isPartial) stop.at ??= 'optional_fields';
      isComplete &&= !isPartial;
      for (const stored of sets) {
        steps += 1 + Math.floor((flow.tracked + input.senders.length) / variablesPerStep);
        if (steps - paused >= stepsAtOnce) {
          paused = steps;
          yield;
        }
        const isTaken = look(seen, { transition, moment, input, stored });
        if (!isTaken || arrive(moment, transition, stored)) continue;
        stop.at = 'moments';
        isComplete = false;
      }
    }
    moment.isExpanded = isComplete;
  }
  return { moments, seen, stoppedAt: stop.at };
}

/** The inputs that lead to a moment. */
export function pathTo(moment: Moment): string[] {
  const inputs: string[] = [];
  for (let at = moment.before; at !== undefined; at = at.moment.before) inputs.push(at.input);
  return inputs.reverse();
}

function keyOf({ state, stored }: Pick<Moment, 'state' | 'stored'>): string {
  return `${stored.toString(16)} ${state}`;
}

/**
 * What is stored after an input, for each choice of its optional fields. The contract stores an input's
 * fields before it checks the sender.
 */
function listStored({ stores, mayStore }: FlowInput, stored: Stored): { sets: Stored[]; isPartial: boolean } {
  const certain = stored | stores;
  const open = mayStore.filter((bit) => (certain & bit) === 0n);
  if (open.length > maxCombined) {
    const all = open.reduce((set, bit) => set | bit, certain);
    return { sets: [certain, ...open.map((bit) => certain | bit), all], isPartial: true };
  }
  const sets = [certain];
  for (const bit of open) sets.push(...sets.map((set) => set | bit));
  return { sets, isPartial: false };
}

type Look = {
  readonly transition: FlowTransition;
  readonly moment: Moment;
  readonly input: FlowInput;
  /** Includes what the input itself stores. */
  readonly stored: Stored;
};

/** Whether anybody can take the transition here. */
function look(seen: Map<string, Seen>, { transition, moment, input, stored }: Look): boolean {
  const noted = seen.get(transition.path) ?? {
    transition,
    taken: undefined,
    blocked: undefined,
    narrowed: undefined,
  };
  seen.set(transition.path, noted);
  if (input.contradictions.some(({ isRequired }) => isRequired)) return false;
  const unset = input.senders.findIndex((sender) => !isStored(sender, stored));
  const variable = input.senders[unset]?.variable;
  if (unset === 0 && variable !== undefined) {
    noted.blocked ??= { moment, variable };
    return false;
  }
  const hasMore = input.hasLiterals || unset < input.senders.length - 1;
  if (variable !== undefined && hasMore) noted.narrowed ??= { moment, variable };
  noted.taken ??= moment;
  return true;
}

function isStored({ stored: when, bit }: Sender, stored: Stored): boolean {
  return when === 'always' || (when === 'sometimes' && (stored & bit) !== 0n);
}
