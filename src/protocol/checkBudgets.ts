import { Budgets } from './budgets.ts';
import { type AgreementLimits, fixedLimits } from './documentLimits.ts';
import type { Issue } from './errors.ts';
import { isJsonObject, type JsonObject, ownValue } from './jsonCursor.ts';
import { findVariableReference } from './references.ts';
import { utf8Length } from './utf8.ts';

/**
 * Whether a document stays within the service's limits. These limits bound the cost of all later steps.
 * Linear in the document, whatever it holds. Parts of the wrong shape count as nothing; later steps check
 * shapes.
 */
export function checkBudgets(agreement: unknown, limits: AgreementLimits): readonly Issue[] {
  const budgets = new Budgets(limits);
  const root = objectOf(agreement);
  const execution = memberOf(root, 'execution');
  const metadata = memberOf(root, 'metadata');
  for (const name of ['templateId', 'id']) {
    const limit = fixedLimits.templateIdBytes;
    budgets.text({ path: `metadata.${name}`, value: ownValue(metadata, name), limit });
  }
  const variables = memberOf(root, 'variables');
  const names = budgets.names({ path: 'variables', members: variables, limit: limits.variables });
  const rules = new Map(
    names.map((name) => [name, budgets.definition(`variables.${name}`, ownValue(variables, name))]),
  );
  const contracts = memberOf(root, 'contracts');
  budgets.names({ path: 'contracts', members: contracts, limit: fixedLimits.contracts });
  const states = memberOf(execution, 'states');
  budgets.names({ path: 'execution.states', members: states, limit: limits.states });
  const initial = memberOf(memberOf(execution, 'initialize'), 'data');
  budgets.names({ path: 'execution.initialize.data', members: initial, limit: limits.variables });
  checkInputs({ budgets, inputs: memberOf(execution, 'inputs'), rules, limits });
  checkTransitions({ budgets, transitions: listOf(ownValue(execution, 'transitions')), limits });
  checkActions({ budgets, actions: listOf(ownValue(execution, 'actions')), limits });
  return budgets.issues;
}

/** The bytes of a field except its name, type and rules. */
const describedFieldBytes = 64;

type Inputs = {
  readonly budgets: Budgets;
  readonly inputs: JsonObject;
  /** Bytes of the type and rules of each variable. */
  readonly rules: ReadonlyMap<string, number>;
  readonly limits: AgreementLimits;
};

function checkInputs({ budgets, inputs, rules, limits }: Inputs): void {
  const path = 'execution.inputs';
  for (const id of budgets.names({ path, members: inputs, limit: limits.inputs })) {
    const input = objectOf(ownValue(inputs, id));
    const count = listOf(ownValue(input, 'issuer')).length;
    budgets.count({ path: `${path}.${id}.issuer`, count, limit: fixedLimits.issuersPerInput });
    budgets.issuers(count);
    const part =
      ownValue(input, 'data') === undefined || ownValue(input, 'data') === null ? 'schema' : 'data';
    const at = `${path}.${id}.${part}`;
    const fields = memberOf(input, part);
    for (const key of budgets.names({ path: at, members: fields, limit: limits.fieldsPerInput })) {
      const definition = ownValue(fields, key);
      const reference = typeof definition === 'string' ? findVariableReference(definition) : undefined;
      const ofRules =
        reference === undefined
          ? budgets.definition(`${at}.${key}`, definition)
          : (rules.get(reference) ?? 0);
      budgets.field(utf8Length(reference ?? key) + describedFieldBytes + ofRules);
    }
  }
}

type Transitions = {
  readonly budgets: Budgets;
  readonly transitions: readonly unknown[];
  readonly limits: AgreementLimits;
};

function checkTransitions({ budgets, transitions, limits }: Transitions): void {
  const path = 'execution.transitions';
  if (!budgets.count({ path, count: transitions.length, limit: limits.transitions })) return;
  for (const [at, transition] of transitions.entries()) {
    const count = listOf(ownValue(objectOf(transition), 'conditions')).length;
    budgets.count({ path: `${path}.${at}.conditions`, count, limit: fixedLimits.conditionsPerTransition });
  }
}

type Actions = {
  readonly budgets: Budgets;
  readonly actions: readonly unknown[];
  readonly limits: AgreementLimits;
};

function checkActions({ budgets, actions, limits }: Actions): void {
  const path = 'execution.actions';
  if (!budgets.count({ path, count: actions.length, limit: limits.actions })) return;
  for (const [at, action] of actions.entries()) {
    const call = memberOf(objectOf(action), 'call');
    const place = `${path}.${at}.call`;
    const count = listOf(ownValue(call, 'args')).length;
    budgets.count({ path: `${place}.args`, count, limit: fixedLimits.argumentsPerAction });
    const functions = listOf(ownValue(call, 'abi'));
    const limit = fixedLimits.functionsPerAction;
    if (!budgets.count({ path: `${place}.abi`, count: functions.length, limit })) continue;
    for (const [index, item] of functions.entries()) {
      const inputs = listOf(ownValue(objectOf(item), 'inputs'));
      budgets.count({
        path: `${place}.abi.${index}.inputs`,
        count: inputs.length,
        limit: fixedLimits.parametersPerFunction,
      });
    }
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function memberOf(object: JsonObject, name: string): JsonObject {
  return objectOf(ownValue(object, name));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
