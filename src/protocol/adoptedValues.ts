import { decodeValue } from './decodeValue.ts';
import type { DeployValues } from './deployValues.ts';
import { listIssues } from './issueList.ts';
import { JsonCursor } from './jsonCursor.ts';
import { nameHash } from './names.ts';
import type { DataField } from './onChain.ts';
import { impliedParticipants, readParticipants } from './participants.ts';
import { parseAddress, type WireValue } from './values.ts';
import { readVariables, type Variable } from './variables.ts';

export type AdoptionRequest = {
  readonly agreement: unknown;
  /** The variables that the agreement was created with; none where its creation cannot be read. */
  readonly initVars: readonly DataField[];
  /** An array of `{variableKey, walletAddress, ...}`, as received. */
  readonly participants?: unknown;
};

/**
 * The values that an agreement started from which somebody else has deployed: those that it was created with, and for other
 * variables the participants' wallets. Values that break the rules of their variable are values all the same, as nothing on
 * chain holds initial values against those rules. The issues are participants that cannot be, or are not those of the chain.
 */
export function resolveAdoptedValues({ agreement, initVars, participants }: AdoptionRequest): DeployValues {
  const variables = new Map(
    readVariables(new JsonCursor(agreement)).map((variable) => [variable.name, variable]),
  );
  const created = readInitVars(variables, initVars);
  const list = new JsonCursor(participants, 'participants');
  const mapped = readParticipants(variables, list);
  refuseOthers(list, created);
  const wallets = new Map(
    mapped.participants.map(({ variableKey, walletAddress }) => [variableKey, walletAddress]),
  );
  const effective = new Map<string, WireValue>();
  for (const name of variables.keys()) {
    const value = created.get(name) ?? wallets.get(name);
    if (value !== undefined) effective.set(name, value);
  }
  const all = [
    ...mapped.participants,
    ...impliedParticipants(variables, { values: effective, mapped: new Set(wallets.keys()) }),
  ];
  return {
    values: Object.fromEntries(effective),
    participants: all,
    contributors: [...new Set(all.map(({ walletAddress }) => walletAddress))],
    issues: listIssues(list.issues).map((issue) => ({ ...issue, reason: 'invalid_participants' as const })),
  };
}

/** By the names of the document, as far as it declares them with the type that the chain holds. The last of repeats counts. */
function readInitVars(
  variables: ReadonlyMap<string, Variable>,
  initVars: readonly DataField[],
): Map<string, WireValue> {
  const names = new Map([...variables.keys()].map((name) => [nameHash(name), name]));
  const values = new Map<string, WireValue>();
  for (const { id, fType, data } of initVars) {
    const name = names.get(id);
    if (name === undefined) continue;
    const value = variables.get(name)?.fType === fType ? decodeValue(fType, data) : null;
    if (value === null) values.delete(name);
    else values.set(name, value);
  }
  return values;
}

function refuseOthers(participants: JsonCursor, created: ReadonlyMap<string, WireValue>): void {
  for (const item of participants.items()) {
    const { value: name } = item.at('variableKey');
    const wallet = item.at('walletAddress');
    const held = typeof name === 'string' ? created.get(name) : undefined;
    const given = parseAddress(wallet.value);
    if (held !== undefined && given !== undefined && held !== given)
      wallet.refuse('is not the wallet that the agreement was created with');
  }
}
