import type { Field } from '../fields.ts';
import { listInitialVariables } from '../initialData.ts';
import { type Input, listInputIds, readInput } from '../inputDefinitions.ts';
import type { Issuer } from '../issuers.ts';
import { JsonCursor } from '../jsonCursor.ts';
import { readTransitions } from '../transitions.ts';
import { type Contradiction, findContradictions } from './findContradictions.ts';

/** A set of variables that issuers name and inputs store, one bit each. */
export type Stored = bigint;

/** The part of a document that decides its course. */
export type Flow = {
  readonly states: readonly string[];
  readonly initialState: string;
  readonly inputs: ReadonlyMap<string, FlowInput>;
  /** In the order of the document. */
  readonly transitions: readonly FlowTransition[];
  /** Transitions that count, by the state that they leave. */
  readonly leaving: ReadonlyMap<string, readonly FlowTransition[]>;
  /** Number of variables that are stored at some moments and not at others. */
  readonly tracked: number;
};

export type FlowTransition = {
  readonly from: string;
  readonly to: string;
  readonly input: string;
  readonly path: string;
  /** Whether an earlier transition has the same state and input, so that this one never counts. */
  readonly isShadowed: boolean;
};

export type FlowInput = {
  readonly path: string;
  readonly anyone: boolean;
  /** The issuer's variables in the order in which the contract reads them. */
  readonly senders: readonly Sender[];
  readonly hasLiterals: boolean;
  /** Variables that every such input stores. */
  readonly stores: Stored;
  /** Variables stored only if their field is submitted, one bit each. */
  readonly mayStore: readonly Stored[];
  /** Why no values fit: faults of required fields, and of optional fields that can be left out. */
  readonly contradictions: readonly Contradiction[];
};

/** `bit` marks when the variable is stored; `always` and `never` need none. */
export type Sender = {
  readonly variable: string;
  readonly stored: 'always' | 'never' | 'sometimes';
  readonly bit: Stored;
};

/** Reads a validated document. Yields between its inputs, which may have thousands of fields. */
export function* readFlow(agreement: unknown): Generator<undefined, Flow> {
  const root = new JsonCursor(agreement);
  const execution = root.at('execution');
  const inputs: Input[] = [];
  for (const id of listInputIds(root)) {
    inputs.push(readInput(root, id));
    yield;
  }
  const bits = assignBits(inputs, new Set(listInitialVariables(root).map(({ name }) => name)));
  const transitions = readFlowTransitions(root);
  const flowInputs = new Map<string, FlowInput>();
  for (const input of inputs) {
    flowInputs.set(input.id, readFlowInput(input, bits));
    yield;
  }
  return {
    states: execution.at('states').keys(),
    initialState: String(execution.at('initialize').at('initialState').value),
    inputs: flowInputs,
    transitions,
    leaving: Map.groupBy(
      transitions.filter(({ isShadowed }) => !isShadowed),
      ({ from }) => from,
    ),
    tracked: bits.sometimes.size,
  };
}

type Bits = { readonly initial: ReadonlySet<string>; readonly sometimes: ReadonlyMap<string, Stored> };

/** Variables that issuers name, that are not set at creation, and that some input stores. */
function assignBits(inputs: readonly Input[], initial: ReadonlySet<string>): Bits {
  const named = new Set(inputs.flatMap(({ issuer }) => issuer.variables));
  const persisted = inputs.flatMap(({ fields }) => fields.filter(({ persist }) => persist));
  const names = new Set(
    persisted.map(({ name }) => name).filter((name) => named.has(name) && !initial.has(name)),
  );
  return { initial, sometimes: new Map([...names].map((name, index) => [name, 1n << BigInt(index)])) };
}

function readFlowInput({ id, fields, issuer }: Input, bits: Bits): FlowInput {
  const path = `execution.inputs.${id}`;
  const contradictions = findContradictions(fields);
  return {
    path,
    anyone: issuer.anyone,
    senders: readSenders(issuer, bits),
    hasLiterals: issuer.literals.length > 0,
    ...readStored(fields, { bits, contradictions }),
    contradictions,
  };
}

/**
 * What an input stores. The contract finds the same submitted value for all fields of one name: one required field
 * makes the value necessary, and without a value that fits all of them nothing is stored.
 */
function readStored(
  fields: readonly Field[],
  { bits, contradictions }: { bits: Bits; contradictions: readonly Contradiction[] },
): Pick<FlowInput, 'stores' | 'mayStore'> {
  const necessary = new Set(fields.filter(({ required }) => required).map(({ name }) => name));
  const impossible = new Set(contradictions.map(({ name }) => name));
  const persisted = new Set(fields.filter(({ persist }) => persist).map(({ name }) => name));
  const possible = [...persisted].filter((name) => bits.sometimes.has(name) && !impossible.has(name));
  const bitsOf = (names: readonly string[]) => names.map((name) => bits.sometimes.get(name) ?? 0n);
  return {
    stores: bitsOf(possible.filter((name) => necessary.has(name))).reduce((all, bit) => all | bit, 0n),
    mayStore: bitsOf(possible.filter((name) => !necessary.has(name))),
  };
}

function readSenders({ variables }: Issuer, { initial, sometimes }: Bits): Sender[] {
  return variables.map((variable) => {
    const bit = sometimes.get(variable);
    if (bit !== undefined) return { variable, stored: 'sometimes', bit };
    return { variable, stored: initial.has(variable) ? 'always' : 'never', bit: 0n };
  });
}

function readFlowTransitions(root: JsonCursor): FlowTransition[] {
  const taken = new Set<string>();
  return readTransitions(root).map(({ from, to, input }, index) => {
    const occasion = JSON.stringify([from, input]);
    const isShadowed = taken.has(occasion);
    taken.add(occasion);
    return { from, to, input, path: `execution.transitions.${index}`, isShadowed };
  });
}
