import type { Address } from 'viem';
import { checkValue } from './checkValue.ts';
import { checkValueSizes } from './checkValueSizes.ts';
import { listValueIssues } from './compileAgreement.ts';
import type { ValueLimits } from './documentLimits.ts';
import type { Issue } from './errors.ts';
import { listIssues } from './issueList.ts';
import { JsonCursor } from './jsonCursor.ts';
import { mergeParticipants, type Participant, readParticipants } from './participants.ts';
import { createPatternBudget } from './pattern.ts';
import type { WireValue, WireValues } from './values.ts';
import { readVariables, type Variable } from './variables.ts';

export type DeployRequest = {
  readonly agreement: unknown;
  /** An object of values by variable name, as received. */
  readonly initValues?: unknown;
  /** An array of `{variableKey, walletAddress, ...}`, as received. */
  readonly participants?: unknown;
};

/** The part of the request to change. */
export type DeployIssue = Issue & { readonly reason: 'invalid_values' | 'invalid_participants' };

export type DeployValues = {
  /** Effective values in wire form, in the order in which the document declares its variables. */
  readonly values: WireValues;
  /** The mapped participants as given, then other participant variables that have a value. */
  readonly participants: readonly Participant[];
  /** The participants' wallets, each once. */
  readonly contributors: readonly Address[];
  readonly issues: readonly DeployIssue[];
};

/**
 * The initial values of a deployment: `initValues`, and the participants' wallets for the variables that they
 * are mapped to. Finds all issues at once: unknown variables, values that break their variable's type or
 * rules, wallets that are no address or differ from the value given for their variable, and missing values
 * that the creation needs.
 */
export function resolveDeployValues(
  { agreement, initValues, participants }: DeployRequest,
  limits?: ValueLimits,
): DeployValues {
  const oversize = limits ? checkValueSizes({ root: 'initValues', values: initValues, limits }) : [];
  if (oversize.length > 0) return { ...nothing, issues: blame(oversize, 'invalid_values') };
  const variables = new Map(
    readVariables(new JsonCursor(agreement)).map((variable) => [variable.name, variable]),
  );
  const given = readInitValues(variables, new JsonCursor(initValues, 'initValues'));
  const mapped = readParticipants(variables, new JsonCursor(participants, 'participants'));
  const merged = mergeParticipants(variables, {
    mapped: mapped.participants,
    findValue: (name, wallet) => wallet ?? given.values.get(name),
  });
  const refused = new Set([...given.refused, ...mapped.refused]);
  const missing = listValueIssues(agreement, merged.values).filter(({ name }) => !refused.has(name));
  const wrongValues = [
    ...given.issues,
    ...listConflicts(mapped.participants, given.values),
    ...missing.map(({ name, message }) => ({ path: `initValues.${name}`, message })),
  ];
  return {
    ...merged,
    issues: [...blame(wrongValues, 'invalid_values'), ...blame(mapped.issues, 'invalid_participants')],
  };
}

type GivenValues = {
  readonly values: ReadonlyMap<string, WireValue>;
  /** Names whose values could not be read. */
  readonly refused: readonly string[];
  readonly issues: readonly Issue[];
};

function readInitValues(variables: ReadonlyMap<string, Variable>, initValues: JsonCursor): GivenValues {
  const budget = createPatternBudget();
  const values = new Map<string, WireValue>();
  const refused: string[] = [];
  for (const name of initValues.keys()) {
    const place = initValues.at(name);
    const definition = variables.get(name);
    const { value, messages } = definition
      ? checkValue({ value: place.value, definition, budget })
      : { value: undefined, messages: ['is not a variable of the agreement'] };
    for (const message of messages) place.refuse(message);
    if (value === undefined) refused.push(name);
    else values.set(name, value);
  }
  return { values, refused, issues: initValues.issues };
}

const nothing = { values: {}, participants: [], contributors: [] };

/** A wallet and a value for the same variable may both be given, but must be equal. */
function listConflicts(participants: readonly Participant[], given: ReadonlyMap<string, WireValue>): Issue[] {
  const conflicting = participants.filter(
    ({ variableKey, walletAddress }) => (given.get(variableKey) ?? walletAddress) !== walletAddress,
  );
  return conflicting.map(({ variableKey }) => ({
    path: `initValues.${variableKey}`,
    message: "differs from the participant's wallet",
  }));
}

function blame(issues: readonly Issue[], reason: DeployIssue['reason']): DeployIssue[] {
  return listIssues(issues).map((issue) => ({ ...issue, reason }));
}
