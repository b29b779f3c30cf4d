import type { Address } from 'viem';
import type { Issue } from './errors.ts';
import { isJsonObject, type JsonCursor, type JsonObject } from './jsonCursor.ts';
import { parseAddress, type WireValue } from './values.ts';
import type { Variable } from './variables.ts';

/** A party of an agreement: its address variable and its wallet. Other members are kept unchanged. */
export type Participant = JsonObject & { readonly variableKey: string; readonly walletAddress: Address };

export type MappedParticipants = {
  readonly participants: readonly Participant[];
  /** Variables whose items have an unusable wallet. */
  readonly refused: readonly string[];
  readonly issues: readonly Issue[];
};

/**
 * Reads a list of participants. Each maps one wallet to one address variable, whatever the variable's
 * subtype.
 */
export function readParticipants(
  variables: ReadonlyMap<string, Variable>,
  list: JsonCursor,
): MappedParticipants {
  const participants = new Map<string, Participant>();
  const refused: string[] = [];
  for (const item of list.items()) {
    const name = item.member('variableKey');
    const wallet = item.at('walletAddress');
    const variableKey = name.text();
    const walletAddress = parseAddress(wallet.value);
    const isAddress = variableKey !== undefined && variables.get(variableKey)?.declaredType === 'address';
    if (!walletAddress) wallet.refuse('must be an address in lower case or with a valid checksum');
    if (variableKey === undefined) continue;
    if (!isAddress) name.refuse('must name a variable of type address');
    else if (participants.has(variableKey)) name.refuse('is mapped already by an earlier participant');
    else if (!walletAddress) refused.push(variableKey);
    else
      participants.set(variableKey, {
        ...(isJsonObject(item.value) ? item.value : {}),
        variableKey,
        walletAddress,
      });
  }
  return { participants: [...participants.values()], refused, issues: list.issues };
}

/** Participant variables that have a value but no item. */
export function impliedParticipants(
  variables: ReadonlyMap<string, Variable>,
  { values, mapped }: { values: ReadonlyMap<string, WireValue>; mapped: ReadonlySet<string> },
): Participant[] {
  const implied = [...variables.values()].filter(
    ({ name, isParticipant }) => isParticipant && !mapped.has(name),
  );
  return implied.flatMap(({ name }) => {
    const walletAddress = parseAddress(values.get(name));
    return walletAddress === undefined ? [] : [{ variableKey: name, walletAddress }];
  });
}
