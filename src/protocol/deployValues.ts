import type { Address } from 'viem';
import { checkValue } from './checkValue.ts';
import { listValueIssues } from './compileAgreement.ts';
import { type Issue, uniqueIssues } from './errors.ts';
import { isJsonObject, JsonCursor, type JsonObject } from './jsonCursor.ts';
import { createPatternBudget } from './pattern.ts';
import { parseAddress, type WireValue, type WireValues } from './values.ts';
import { readVariables, type Variable } from './variables.ts';

/** A party of an agreement: the address variable that stands for it and its wallet. Other members are kept as they are. */
export type Participant = JsonObject & { readonly variableKey: string; readonly walletAddress: Address };

/** Which part of the request has to change. */
export type DeployIssue = Issue & { readonly reason: 'invalid_values' | 'invalid_participants' };

export type DeployValues = {
  /** Effective values in wire form, in the order in which the document declares its variables. */
  readonly values: WireValues;
  /** The mapped participants as given, then the other participant variables that have a value. */
  readonly participants: readonly Participant[];
  /** The participants' wallets, each once. */
  readonly contributors: readonly Address[];
  readonly issues: readonly DeployIssue[];
};

/**
 * The values that a deployment starts from: `initValues`, and the participants' wallets for the variables that they are
 * mapped to. All issues are found at once: unknown variables, values that break their variable's type or rules, wallets that
 * are no address or differ from the value given for their variable, and values that creating the agreement needs and misses.
 */
export function resolveDeployValues({ agreement, initValues, participants }: DeployRequest): DeployValues {
  const variables = new Map(
    readVariables(new JsonCursor(agreement)).map((variable) => [variable.name, variable]),
  );
  const given = readInitValues(variables, new JsonCursor(initValues, 'initValues'));
  const mapped = readParticipants(variables, new JsonCursor(participants, 'participants'));
  const wallets = new Map(
    mapped.participants.map(({ variableKey, walletAddress }) => [variableKey, walletAddress]),
  );
  const effective = [...variables.keys()].flatMap((name): (readonly [string, WireValue])[] => {
    const value = wallets.get(name) ?? given.values.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const values: WireValues = Object.fromEntries(effective);
  const all = [...mapped.participants, ...impliedParticipants({ variables, values, wallets })];
  return {
    values,
    participants: all,
    contributors: [...new Set(all.map(({ walletAddress }) => walletAddress))],
    issues: [
      ...given.issues,
      ...listConflicts(wallets, given.values),
      ...listMissing({ agreement, values, refused: new Set([...given.refused, ...mapped.refused]) }),
      ...mapped.issues,
    ],
  };
}

export type DeployRequest = {
  readonly agreement: unknown;
  /** An object of values by variable name, as received. */
  readonly initValues?: unknown;
  /** An array of `{variableKey, walletAddress, ...}`, as received. */
  readonly participants?: unknown;
};

type Variables = ReadonlyMap<string, Variable>;

function readInitValues(variables: Variables, initValues: JsonCursor) {
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
  return { values, refused, issues: blame(initValues.issues, 'invalid_values') };
}

function readParticipants(variables: Variables, list: JsonCursor) {
  const participants: Participant[] = [];
  const refused: string[] = [];
  const seen = new Set<string>();
  for (const item of list.items()) {
    const variableKey = item.member('variableKey').text();
    const walletAddress = parseAddress(item.at('walletAddress').value);
    if (!walletAddress)
      item.at('walletAddress').refuse('must be an address, all in lower case or with a correct checksum');
    if (variableKey === undefined) continue;
    const isAddress = variables.get(variableKey)?.declaredType === 'address';
    if (!isAddress) item.at('variableKey').refuse('must name a variable of type address');
    if (seen.has(variableKey)) item.at('variableKey').refuse('is mapped already by an earlier participant');
    else if (isAddress && walletAddress && isJsonObject(item.value))
      participants.push({ ...item.value, variableKey, walletAddress });
    else refused.push(variableKey);
    seen.add(variableKey);
  }
  return { participants, refused, issues: blame(list.issues, 'invalid_participants') };
}

/** A wallet and a value for the same variable may both be given, but not differ. */
function listConflicts(
  wallets: ReadonlyMap<string, Address>,
  given: ReadonlyMap<string, WireValue>,
): DeployIssue[] {
  const conflicting = [...wallets].filter(([name, wallet]) => (given.get(name) ?? wallet) !== wallet);
  const issues = conflicting.map(([name]) => ({
    path: `initValues.${name}`,
    message: "differs from the participant's wallet",
  }));
  return blame(issues, 'invalid_values');
}

/** What creating the agreement needs; values that were given and refused are not also missing. */
function listMissing({
  agreement,
  values,
  refused,
}: {
  agreement: unknown;
  values: WireValues;
  refused: ReadonlySet<string>;
}) {
  const issues = listValueIssues(agreement, values).map(({ path, message }) => ({
    name: path.replace('values.', ''),
    message,
  }));
  const open = issues.filter(({ name }) => !refused.has(name));
  return blame(
    open.map(({ name, message }) => ({ path: `initValues.${name}`, message })),
    'invalid_values',
  );
}

function impliedParticipants({
  variables,
  values,
  wallets,
}: {
  variables: Variables;
  values: WireValues;
  wallets: ReadonlyMap<string, Address>;
}): Participant[] {
  const unmapped = [...variables.values()].filter(
    ({ name, isParticipant }) => isParticipant && !wallets.has(name),
  );
  return unmapped.flatMap(({ name }) => {
    const walletAddress = Object.hasOwn(values, name) ? parseAddress(values[name]) : undefined;
    return walletAddress === undefined ? [] : [{ variableKey: name, walletAddress }];
  });
}

function blame(issues: readonly Issue[], reason: DeployIssue['reason']): DeployIssue[] {
  return uniqueIssues(issues).map((issue) => ({ ...issue, reason }));
}
