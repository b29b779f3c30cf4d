import type { Address } from 'viem';
import type { DecodedField } from './decodePayload.ts';
import type { Field } from './fields.ts';
import { listInitialVariables } from './initialData.ts';
import { findInput, findInputByHash } from './inputDefinitions.ts';
import { JsonCursor } from './jsonCursor.ts';
import { nameHash } from './names.ts';
import { isOfVariable } from './submittedVariables.ts';
import { parseAddress, type WireValue, type WireValues } from './values.ts';

/** An accepted input: its name or hash, and its decoded payload. */
export type AcceptedPayload = { readonly inputId: string; readonly fields: readonly DecodedField[] };

/** Addresses by variable name, as the contract holds them and compares senders with. */
export type StoredAddresses = { readonly [name: string]: Address };

/**
 * The effective values after an accepted input. A field overwrites a variable if it refers to it, or has its
 * name and on-chain type. The given values are not changed.
 */
export function applyAcceptedInput(
  values: WireValues,
  agreement: unknown,
  accepted: AcceptedPayload,
): WireValues {
  const root = new JsonCursor(agreement);
  const submitted = submittedValues(root, accepted).filter(({ field }) => isOfVariable(root, field));
  const changes = submitted.map(({ field, value }) => [field.name, value] as const);
  return { ...values, ...Object.fromEntries(changes) };
}

export type ValueHistory = {
  readonly agreement: unknown;
  readonly initialValues: WireValues;
  /** In the order of acceptance. */
  readonly inputs: readonly AcceptedPayload[];
};

/** The initial values, overwritten by each accepted input in turn. */
export function effectiveValues({ agreement, initialValues, inputs }: ValueHistory): WireValues {
  return inputs.reduce((values, accepted) => applyAcceptedInput(values, agreement, accepted), initialValues);
}

/**
 * The address variables that the contract holds from its creation: those of `initialize.data`. An issuer
 * whose variable the contract does not hold (yet) cannot submit, whatever its effective value.
 */
export function initialStoredAddresses(agreement: unknown, values: WireValues): StoredAddresses {
  const held = listInitialVariables(new JsonCursor(agreement)).filter(
    ({ name, declaredType }) => declaredType === 'address' && Object.hasOwn(values, name),
  );
  return addressesOf(held.map(({ name }) => [name, values[name]] as const));
}

/** The stored addresses after an accepted input, whose persistent fields overwrite variables. */
export function applyStoredAddresses(
  stored: StoredAddresses,
  agreement: unknown,
  accepted: AcceptedPayload,
): StoredAddresses {
  const persisted = submittedValues(new JsonCursor(agreement), accepted).filter(({ field }) => field.persist);
  return { ...stored, ...addressesOf(persisted.map(({ field, value }) => [field.name, value] as const)) };
}

type Submitted = { readonly field: Field; readonly value: WireValue };

/**
 * For each declared field the first data field of that id, as the contract looks it up. Undeclared data
 * fields are ignored.
 */
function submittedValues(root: JsonCursor, { inputId, fields }: AcceptedPayload): Submitted[] {
  const input = findInputByHash(root, inputId) ?? findInput(root, inputId);
  const first = new Map(fields.toReversed().map(({ id, value }) => [id, value]));
  return (input?.fields ?? []).flatMap((field) => {
    const value = first.get(nameHash(field.name)) ?? null;
    return value === null ? [] : [{ field, value }];
  });
}

function addressesOf(entries: readonly (readonly [string, unknown])[]): StoredAddresses {
  const parsed = entries.map(([name, value]) => [name, parseAddress(value)] as const);
  return Object.fromEntries(
    parsed.flatMap(([name, address]) => (address === undefined ? [] : [[name, address] as const])),
  );
}
