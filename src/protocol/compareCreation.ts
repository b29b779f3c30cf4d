import { compileKnown } from './compileAgreement.ts';
import { listInitialVariables } from './initialData.ts';
import { JsonCursor } from './jsonCursor.ts';
import type { EngineParameters } from './model/engine.ts';
import { nameHash } from './names.ts';
import type { ActionInit, InputDef, Transition } from './onChain.ts';
import type { WireValues } from './values.ts';

/** The parts of an agreement's creation that a document fixes. */
export const creationParts = [
  'initialState',
  'inputs',
  'transitions',
  'variables',
  'verifiers',
  'actions',
] as const;
export type CreationPart = (typeof creationParts)[number];

/** What is known of an agreement's creation: events show its actions, whoever called the factory. */
export type KnownCreation = Partial<Omit<EngineParameters, 'actions'>> & {
  readonly actions: readonly ActionInit[];
};

export type Comparison = {
  /** The parts that are not as the document has them. */
  readonly differing: readonly CreationPart[];
  /** False if something cannot be compared: it is unknown, or a call needs a value that is. */
  readonly isWhole: boolean;
};

/**
 * Compares an agreement's creation with what a document compiles to: whoever creates a contract chooses its rules, and
 * the document that it names by a hash.
 *
 * @param values the known values of the creation, by name.
 * @throws AgreementError for a document that does not compile.
 */
export function compareCreation(
  agreement: unknown,
  { values, creation }: { values: WireValues; creation: KnownCreation },
): Comparison {
  const { parameters } = compileKnown(agreement, values);
  const { initialState, inputDefs, transitions, initVars, verifiers, actions } = creation;
  const root = new JsonCursor(agreement);
  const authored = root.at('execution').at('actions').items().length;
  const areCallsKnown = parameters.actions.length === authored;
  const held = listInitialVariables(root).map(({ name, fType }) => ({ id: nameHash(name), fType }));
  /** Undefined for a part that cannot be compared. */
  const isSame: Record<CreationPart, boolean | undefined> = {
    initialState: initialState && isEqual(initialState, parameters.initialState),
    inputs: inputDefs && isEqual(inputDefs.map(partsOfInput), parameters.inputDefs.map(partsOfInput)),
    transitions:
      transitions &&
      isEqual(transitions.map(partsOfTransition), parameters.transitions.map(partsOfTransition)),
    variables: initVars && isEqual(initVars.map(partsOfVariable), held.map(partsOfVariable)),
    verifiers: verifiers && verifiers.length === 0,
    actions: areCallsKnown
      ? isEqual(actions.map(partsOfAction), parameters.actions.map(partsOfAction))
      : actions.length === authored && undefined,
  };
  return {
    differing: creationParts.filter((part) => isSame[part] === false),
    isWhole: creationParts.every((part) => isSame[part] !== undefined),
  };
}

function partsOfInput({ id, fields, conditions, verifierKeys }: InputDef) {
  return [
    id,
    fields.map(({ fieldId, fType, required, persist }) => [fieldId, fType, required, persist]),
    conditions.map(({ op, fieldId, bytesArg }) => [op, fieldId, bytesArg]),
    verifierKeys,
  ];
}

function partsOfTransition({ fromState, toState, inputId }: Transition) {
  return [fromState, toState, inputId];
}

function partsOfVariable({ id, fType }: { id: string; fType: number }) {
  return [id, fType];
}

function partsOfAction({ fromState, inputId, target, value, data }: ActionInit) {
  return [fromState, inputId, target, String(value), data];
}

/** Hex digits of either case are the same; nothing else here has letters. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one).toLowerCase() === JSON.stringify(other).toLowerCase();
}
