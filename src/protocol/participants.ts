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

/**
 * The values of all variables by name, and the participants: the mapped ones, then the other participant
 * variables that have a value. Contributors are their wallets, each once.
 *
 * @param options.findValue a variable's value, if it has one, given the wallet that is mapped to it.
 */
export function mergeParticipants(
  variables: ReadonlyMap<string, Variable>,
  {
    mapped,
    findValue,
  }: {
    readonly mapped: readonly Participant[];
    findValue(name: string, wallet: Address | undefined): WireValue | undefined;
  },
) {
  const wallets = new Map(mapped.map(({ variableKey, walletAddress }) => [variableKey, walletAddress]));
  const values = new Map<string, WireValue>();
  for (const name of variables.keys()) {
    const value = findValue(name, wallets.get(name));
    if (value !== undefined) values.set(name, value);
  }
  const implied = [...variables.values()].flatMap(({ name, isParticipant }) => {
    const walletAddress = isParticipant && !wallets.has(name) ? parseAddress(values.get(name)) : undefined;
    return walletAddress === undefined ? [] : [{ variableKey: name, walletAddress }];
  });
  const participants: Participant[] = [...mapped, ...implied];
  return {
    values: Object.fromEntries(values),
    participants,
    contributors: [...new Set(participants.map(({ walletAddress }) => walletAddress))],
  };
}
