import type { Address, Hex } from 'viem';
import { compileAgreement, compileWithoutValues } from '../compileAgreement.ts';
import { decodeInputPayload } from '../decodePayload.ts';
import { ValuesError } from '../errors.ts';
import type { Field } from '../fields.ts';
import { readInputs } from '../inputDefinitions.ts';
import { JsonCursor } from '../jsonCursor.ts';
import { inputHash, nameHash } from '../names.ts';
import { findVariableReference } from '../references.ts';
import type { WireValues } from '../values.ts';
import { createEngine, resumeEngine } from './createEngine.ts';
import type { Engine, EngineParameters, StoredVariable } from './engine.ts';

/** The known data of an existing agreement. */
export type RunningAgreement = {
  readonly agreement: unknown;
  /** The values of its creation. Values that the document needs and that are missing here are unknown. */
  readonly initialValues: WireValues;
  /** The current state on the chain. */
  readonly state: Hex;
  /** Accepted inputs, newest first; only those of `listStoringInputs` matter. */
  readonly inputs: readonly { readonly inputId: string; readonly payload: Hex }[];
  /** Whether these are all such inputs from the beginning; if not, variables that they do not set are unknown. */
  readonly isWhole: boolean;
  /** The next permit's nonce by signer; absent: 0. */
  readonly nonces?: ReadonlyMap<Address, bigint> | undefined;
};

/** The names of the inputs that make the contract store something. */
export function listStoringInputs(agreement: unknown): string[] {
  return readInputs(new JsonCursor(agreement))
    .filter(({ fields }) => fields.some(({ persist }) => persist))
    .map(({ id }) => id);
}

/**
 * The engine of an existing agreement: the values of its creation, overwritten by what its inputs have stored
 * since.
 *
 * @throws AgreementError for a document that does not compile, EngineRevert for one that no contract can have been created from.
 */
export function resumeAgreement(running: RunningAgreement): Engine {
  const { agreement, state, nonces } = running;
  const { parameters, unknown } = compileKnown(running);
  const variables = new Map<Hex, StoredVariable | 'unknown'>(unknown.map((id) => [id, 'unknown']));
  for (const [id, variable] of createEngine(parameters).variables.entries())
    variables.set(`0x${id.slice(2)}`, variable);
  const persisted = indexPersisted(agreement);
  const stored = collectStored(running, persisted);
  for (const { name } of [...persisted.values()].flat()) {
    const id = nameHash(name);
    const variable = stored.get(id) ?? (running.isWhole ? undefined : 'unknown');
    if (variable !== undefined) variables.set(id, variable);
  }
  return resumeEngine(parameters, { state, variables, nonces });
}

function compileKnown({ agreement, initialValues: values }: RunningAgreement): {
  parameters: EngineParameters;
  unknown: Hex[];
} {
  try {
    return { parameters: compileAgreement(agreement, { values }), unknown: [] };
  } catch (error) {
    if (!(error instanceof ValuesError)) throw error;
    return { parameters: compileWithoutValues(agreement), unknown: listInitialVariables(agreement) };
  }
}

function listInitialVariables(agreement: unknown): Hex[] {
  const data = new JsonCursor(agreement).at('execution').at('initialize').at('data');
  return data.keys().flatMap((key) => {
    const { value } = data.at(key);
    const name = typeof value === 'string' ? findVariableReference(value) : undefined;
    return name === undefined ? [] : [nameHash(name)];
  });
}

function indexPersisted(agreement: unknown): ReadonlyMap<Hex, readonly Field[]> {
  const inputs = readInputs(new JsonCursor(agreement));
  return new Map(
    inputs.map(({ id, fields }) => [nameHash(id), fields.filter(({ persist }) => persist)] as const),
  );
}

/** For each variable, the value that the newest storing input has stored. */
function collectStored(
  { inputs }: RunningAgreement,
  persisted: ReadonlyMap<Hex, readonly Field[]>,
): ReadonlyMap<Hex, StoredVariable> {
  const stored = new Map<Hex, StoredVariable>();
  for (const { inputId, payload } of inputs) {
    const declared = persisted.get(inputHash(inputId)) ?? [];
    if (declared.length === 0) continue;
    const first = new Map(
      decodeInputPayload(null, payload)
        .toReversed()
        .map((field) => [field.id, field]),
    );
    for (const { name } of declared) {
      const id = nameHash(name);
      const field = first.get(id);
      if (field !== undefined && !stored.has(id)) stored.set(id, { fType: field.fType, data: field.data });
    }
  }
  return stored;
}
