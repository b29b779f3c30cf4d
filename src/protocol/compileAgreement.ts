import { compileActions } from './actions.ts';
import { compileConditions } from './conditions.ts';
import { hashDocument, serializeAgreement } from './document.ts';
import { encodeValue } from './encodeValue.ts';
import { AgreementError, type Issue, ValuesError } from './errors.ts';
import { type Input, readInputs } from './inputDefinitions.ts';
import { listIssues } from './issueList.ts';
import { JsonCursor, type JsonObject } from './jsonCursor.ts';
import { nameHash } from './names.ts';
import type { AgreementParameters, DataField, InputDef, Transition } from './onChain.ts';
import { findVariableReference } from './references.ts';
import { createValueSource, findValue, type ValueIssue, type ValueSource } from './resolveText.ts';
import { type AuthoredTransition, readTransitions } from './transitions.ts';
import { parseValue } from './values.ts';
import { findVariable } from './variables.ts';

export type CompileOptions = {
  /**
   * The document URI to sign; an empty text counts too. Absent: `ipfs://agreement/` and the document's
   * `metadata.id`.
   */
  readonly docUri?: string | null | undefined;
  /** Effective values by variable name. */
  readonly values?: JsonObject | null | undefined;
};

/**
 * The on-chain parameters of an authored agreement, byte for byte those that its signer computes from the
 * same parsed JSON. The document is not changed, and the order of its members affects the result. Undeclared
 * names still compile; `validateAgreement` reports them.
 *
 * @throws AgreementError when the document has a shape that has no on-chain form.
 * @throws ValuesError when a value is missing, or does not fit its variable or the call that it is used in.
 */
export function compileAgreement(
  agreement: unknown,
  { docUri, values }: CompileOptions = {},
): AgreementParameters {
  const text = serializeAgreement(agreement);
  const root = new JsonCursor(agreement);
  const source = createValueSource(values ?? {});
  const parameters: AgreementParameters = {
    docUri: docUri ?? defaultDocUri(root),
    docHash: hashDocument(text),
    ...compileParts(root, source),
  };
  if (root.issues.length > 0) throw new AgreementError(listIssues(root.issues));
  const valueIssues = listValues(source);
  if (valueIssues.length > 0) throw new ValuesError(valueIssues);
  return parameters;
}

/**
 * The parameters as far as the values are known: without initial variables and actions that a missing or unusable
 * value prevents. The issues name those values.
 *
 * @throws AgreementError when the document has a shape that has no on-chain form.
 */
export function compileKnown(
  agreement: unknown,
  values: JsonObject,
): {
  parameters: Omit<AgreementParameters, 'docUri' | 'docHash'>;
  issues: readonly Issue[];
} {
  const root = new JsonCursor(agreement);
  const source = createValueSource(values);
  const parameters = compileParts(root, source);
  if (root.issues.length > 0) throw new AgreementError(listIssues(root.issues));
  return { parameters, issues: listValues(source) };
}

/** Issues that prevent the document from compiling, whatever the values. */
export function listCompileIssues(agreement: unknown): readonly Issue[] {
  const root = new JsonCursor(agreement);
  compileParts(root, createValueSource(undefined));
  return listIssues(root.issues);
}

/** Values that compiling needs and that are missing or unusable. */
export function listValueIssues(agreement: unknown, values: JsonObject): ValueIssue[] {
  const source = createValueSource(values);
  compileParts(new JsonCursor(agreement), source);
  return source.issues;
}

function listValues({ issues }: ValueSource): readonly Issue[] {
  return listIssues(issues.map(({ name, message }) => ({ path: `values.${name}`, message })));
}

function compileParts(
  root: JsonCursor,
  values: ValueSource,
): Omit<AgreementParameters, 'docUri' | 'docHash'> {
  const execution = root.member('execution');
  return {
    initialState: nameHash(execution.member('initialize').member('initialState').text() ?? ''),
    inputDefs: readInputs(root).map(compileInput),
    transitions: readTransitions(root).map(compileTransition),
    initVars: compileInitVars(root, values),
    verifiers: [],
    actions: compileActions(root, values),
  };
}

function compileInput({ id, fields, issuer }: Input): InputDef {
  return {
    id: nameHash(id),
    fields: fields.map(({ name, fType, required, persist }) => ({
      fieldId: nameHash(name),
      fType,
      required,
      persist,
    })),
    conditions: compileConditions(fields, issuer),
    verifierKeys: [],
  };
}

function compileTransition({ from, to, input }: AuthoredTransition): Transition {
  return { fromState: nameHash(from), toState: nameHash(to), inputId: nameHash(input) };
}

/**
 * The entries of `initialize.data` that refer to a declared variable. Repeats are kept; other entries are
 * ignored.
 */
function compileInitVars(root: JsonCursor, values: ValueSource): DataField[] {
  const data = root.at('execution').at('initialize').at('data');
  return data
    .keys()
    .map((key) => compileInitVar({ root, values, entry: data.at(key) }))
    .filter((initVar) => initVar !== undefined);
}

type InitialEntry = { readonly root: JsonCursor; readonly values: ValueSource; readonly entry: JsonCursor };

function compileInitVar({ root, values, entry }: InitialEntry): DataField | undefined {
  const reference = typeof entry.value === 'string' ? findVariableReference(entry.value) : undefined;
  const variable = reference === undefined ? undefined : findVariable(root, reference);
  if (variable === undefined) return undefined;
  const { name, fType } = variable;
  const resolved = findValue({ values, name, neededBy: entry.path });
  if (resolved === undefined) return undefined;
  const parsed = parseValue(resolved.value, variable);
  if (parsed.ok) return { id: nameHash(name), fType, data: encodeValue(fType, parsed.value) };
  resolved.refuse(parsed.message);
  return undefined;
}

function defaultDocUri(root: JsonCursor): string {
  const id = root.at('metadata').at('id');
  if (typeof id.value !== 'object' || id.value === null) return `ipfs://agreement/${id.value}`;
  id.refuse('must be text');
  return '';
}
