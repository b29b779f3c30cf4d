import { type JsonCursor, type JsonObject, ownValue } from './jsonCursor.ts';
import { quote } from './quote.ts';
import { findContractReference, findVariableReference } from './references.ts';

export type ValueIssue = { readonly name: string; readonly message: string };

/** Effective values by variable name, and a list for their faults. */
export type ValueSource = {
  /** Undefined while only the document is checked; parts that depend on a value are then skipped. */
  readonly values: JsonObject | undefined;
  readonly issues: ValueIssue[];
  /** Characters that the texts may still take; negative once they have taken more. */
  room: number;
};

/**
 * Characters of the texts in all actions and initial values together. A document may refer to one text thousands of
 * times; this bounds the time and memory of all that follows. No block has room for as much.
 */
export const outputCharacters = 512 * 1024;

/** @param values undefined while only the document is checked. */
export function createValueSource(values: JsonObject | undefined): ValueSource {
  return { values, issues: [], room: outputCharacters };
}

/** A repeated text, if there is room for it; the first one without room is refused. */
function takeRoom(source: ValueSource, resolved: Resolved): Resolved | undefined {
  if (source.room < 0) return undefined;
  if (typeof resolved.value === 'string') source.room -= resolved.value.length;
  if (source.room >= 0) return resolved;
  resolved.refuse(`is repeated beyond ${outputCharacters} characters`);
  return undefined;
}

/**
 * The meaning of a text in an action. `refuse` blames the value if the text came from one, otherwise the
 * document.
 */
export type Resolved = { readonly value: unknown; readonly refuse: (message: string) => void };

/**
 * The effective value of the variable that a text refers to, otherwise the address of the contract that it
 * refers to, otherwise the text itself. Undefined if the value or contract is missing or repeated too often (which is
 * noted), or values are not checked.
 */
export function resolveText({
  agreement,
  place,
  values,
}: {
  agreement: JsonCursor;
  place: JsonCursor;
  values: ValueSource;
}): Resolved | undefined {
  const literal = { value: place.value, refuse: (message: string) => place.refuse(message) };
  if (typeof place.value !== 'string') return literal;
  const variable = findVariableReference(place.value);
  if (variable !== undefined) return findValue({ values, name: variable, neededBy: place.path });
  const contract = findContractReference(place.value);
  return contract === undefined ? literal : findContract({ agreement, name: contract, place, values });
}

/** The effective value of a variable; a missing or null value, or one without room, is noted as `values.NAME`. */
export function findValue({
  values,
  name,
  neededBy,
}: {
  values: ValueSource;
  name: string;
  neededBy: string;
}): Resolved | undefined {
  if (values.values === undefined) return undefined;
  const value = ownValue(values.values, name);
  const refuse = (message: string) =>
    values.issues.push({ name, message: `${message} (needed by ${quote(neededBy)})` });
  if (value !== undefined && value !== null) return takeRoom(values, { value, refuse });
  refuse('is missing');
  return undefined;
}

function findContract({
  agreement,
  name,
  place,
  values,
}: {
  agreement: JsonCursor;
  name: string;
  place: JsonCursor;
  values: ValueSource;
}): Resolved | undefined {
  const address = agreement.at('contracts').member(name).member('address');
  if (!address.isAbsent)
    return takeRoom(values, { value: address.value, refuse: (message) => address.refuse(message) });
  place.refuse(`names the contract ${quote(name)}, which has no address in contracts`);
  return undefined;
}
