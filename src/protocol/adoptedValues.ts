import { decodeValue } from './decodeValue.ts';
import type { DeployValues } from './deployValues.ts';
import { listIssues } from './issueList.ts';
import { JsonCursor } from './jsonCursor.ts';
import { nameHash } from './names.ts';
import type { DataField } from './onChain.ts';
import { mergeParticipants, readParticipants } from './participants.ts';
import { parseAddress, type WireValue } from './values.ts';
import { readVariables, type Variable } from './variables.ts';

export type AdoptionRequest = {
  readonly agreement: unknown;
  /** The variables that the agreement was created with; none if its creation cannot be read. */
  readonly initVars: readonly DataField[];
  /** An array of `{variableKey, walletAddress, ...}`, as received. */
  readonly participants?: unknown;
};

/**
 * The initial values of an agreement that somebody else deployed: the values of its creation, and for other
 * variables the participants' wallets. Values that break their variable's rules are kept, because the chain
 * does not check initial values. The issues are participants that are invalid or differ from the chain's.
 */
export function resolveAdoptedValues({ agreement, initVars, participants }: AdoptionRequest): DeployValues {
  const variables = new Map(
    readVariables(new JsonCursor(agreement)).map((variable) => [variable.name, variable]),
  );
  const created = readInitVars(variables, initVars);
  const list = new JsonCursor(participants, 'participants');
  const { participants: mapped } = readParticipants(variables, list);
  refuseOthers(list, created);
  return {
    ...mergeParticipants(variables, {
      mapped,
      findValue: (name, wallet) => created.get(name) ?? wallet,
    }),
    issues: listIssues(list.issues).map((issue) => ({ ...issue, reason: 'invalid_participants' as const })),
  };
}

/**
 * By the document's names, if the document declares the name with the type that the chain holds. The last
 * repetition counts.
 */
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
