import type { Hex } from 'viem';
import { fixedLimits } from './documentLimits.ts';
import type { Field } from './fields.ts';
import { isKnownType } from './fieldType.ts';
import { findInput, listInputIds } from './inputDefinitions.ts';
import type { Issuer } from './issuers.ts';
import { isJsonObject, JsonCursor } from './jsonCursor.ts';
import { nameHash } from './names.ts';
import { type AuthoredTransition, readTransitions } from './transitions.ts';
import { utf8Length } from './utf8.ts';

/** A field, with what callers need to fill it in. */
export type FieldDescription = {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly validation?: unknown;
};

export type AcceptedInput = {
  readonly inputId: string;
  readonly toState: string;
  readonly issuer: Issuer;
  readonly fields: readonly FieldDescription[];
};

/** Who may submit an input; undefined if the document does not have the input. */
export function issuerOf(agreement: unknown, inputId: string): Issuer | undefined {
  return findInput(new JsonCursor(agreement), inputId)?.issuer;
}

/**
 * The inputs that lead on from a state, each once, in the order of their first transition. In a document
 * without checked budgets, fields may repeat the rules of one variable endlessly; fields beyond the budget
 * come without rules.
 */
export function acceptedInputs(agreement: unknown, state: string): AcceptedInput[] {
  const root = new JsonCursor(agreement);
  const leading = readTransitions(root).filter(({ from }) => from === state);
  const first = new Map(leading.toReversed().map((transition) => [transition.input, transition]));
  const inOrder = leading.filter((transition) => first.get(transition.input) === transition);
  const describeField = createDescriber();
  return inOrder.flatMap(({ input: inputId, to: toState }) => {
    const input = findInput(root, inputId);
    return input === undefined
      ? []
      : [{ inputId, toState, issuer: input.issuer, fields: input.fields.map(describeField) }];
  });
}

/** The transition that an input triggers in a state: the first that names both, as in the contract. */
export function findTransition(
  agreement: unknown,
  { state, inputId }: { state: string; inputId: string },
): AuthoredTransition | undefined {
  return transitionsFor(agreement, inputId).find(({ from }) => from === state);
}

/** All transitions that an input can trigger, in order. */
export function transitionsFor(agreement: unknown, inputId: string): AuthoredTransition[] {
  return readTransitions(new JsonCursor(agreement)).filter(({ input }) => input === inputId);
}

/** The state with the hash that the chain shows: one that the document declares or at least mentions. */
export function stateName(agreement: unknown, hash: Hex): string | undefined {
  return findName(listStateNames(new JsonCursor(agreement)), hash);
}

/** The names of all states that the document declares or mentions; some repeatedly. */
export function listStateNames(root: JsonCursor): string[] {
  const execution = root.at('execution');
  const initial = execution.at('initialize').at('initialState').value;
  const mentioned = readTransitions(root).flatMap(({ from, to }) => [from, to]);
  return [...execution.at('states').keys(), ...(typeof initial === 'string' ? [initial] : []), ...mentioned];
}

/** The input with the hash that the chain shows. */
export function inputName(agreement: unknown, hash: Hex): string | undefined {
  return findName(listInputIds(new JsonCursor(agreement)), hash);
}

function findName(names: readonly string[], hash: Hex): string | undefined {
  const wanted = hash.toLowerCase();
  return names.find((name) => nameHash(name) === wanted);
}

/** Describes fields while there is room for their types and rules. */
function createDescriber(): (field: Field) => FieldDescription {
  let room: number = fixedLimits.describedBytes;
  return ({ name, declaredType, required, validation }) => {
    const plain = { name, type: isKnownType(declaredType) ? String(declaredType) : 'string', required };
    if (room < 0) return plain;
    const rules = isJsonObject(validation.value) ? { validation: validation.value } : {};
    const described = { name, type: declaredType ?? 'string', required, ...rules };
    room -= utf8Length(JSON.stringify(described));
    return room < 0 ? plain : described;
  };
}
