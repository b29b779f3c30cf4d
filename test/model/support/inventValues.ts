import { type BoundName, readBounds } from '../../../src/protocol/fieldRules.ts';
import type { Field } from '../../../src/protocol/fields.ts';
import { FieldType, type WireValue, type WireValues } from '../../../src/protocol/index.ts';
import { readInputs } from '../../../src/protocol/inputDefinitions.ts';
import { JsonCursor } from '../../../src/protocol/jsonCursor.ts';
import { readVariables } from '../../../src/protocol/variables.ts';
import { actorAt, actors } from './modelCase.ts';

/** A longer text would show nothing more, and may not fit into memory. */
const longestText = 10_000n;
const highestNumber = 2n ** 256n - 1n;

type Definition = Pick<Field, 'fType' | 'validation'>;

/**
 * A value for every variable of a document: an actor for each address, otherwise the least value within the
 * bounds.
 */
export function inventVariables(agreement: unknown): WireValues {
  const variables = readVariables(new JsonCursor(agreement));
  return Object.fromEntries(
    variables.map((variable, index) => [variable.name, inventValue(variable, index)] as const),
  );
}

/**
 * An input's values in several variants: all fields, the required ones, none, all but one, and one bound missed at a
 * time.
 */
export function inventInputs(agreement: unknown, inputId: string): WireValues[] {
  const fields = readInputs(new JsonCursor(agreement)).find(({ id }) => id === inputId)?.fields ?? [];
  const all = valuesOf(fields);
  const without = fields.map((one) => valuesOf(fields.filter(({ name }) => name !== one.name)));
  const missed = fields.flatMap((field) =>
    missBounds(field).map((value) => ({ ...all, [field.name]: value })),
  );
  return [all, valuesOf(fields.filter(({ required }) => required)), {}, ...without, ...missed];
}

function valuesOf(fields: readonly Field[]): WireValues {
  return Object.fromEntries(fields.map((field, index) => [field.name, inventValue(field, index)] as const));
}

function inventValue(definition: Definition, index: number): WireValue {
  const { min, minLength } = boundsOf(definition);
  switch (definition.fType) {
    case FieldType.UINT256:
      return (min ?? 1n).toString();
    case FieldType.STRING:
      return textOf(minLength ?? 0n);
    case FieldType.ADDRESS:
      return actorAt(index % actors.length).address;
    case FieldType.BOOL:
      return true;
    case FieldType.BYTES32:
      return `0x${'ab'.repeat(32)}`;
  }
}

function missBounds(definition: Definition): WireValue[] {
  const { min, max, minLength, maxLength } = boundsOf(definition);
  return [
    ...(min ? [(min - 1n).toString()] : []),
    ...(max === undefined || max >= highestNumber ? [] : [(max + 1n).toString()]),
    ...(minLength ? [textOf(minLength - 1n)] : []),
    ...(maxLength !== undefined && maxLength < longestText ? [textOf(maxLength + 1n)] : []),
  ];
}

function textOf(length: bigint): string {
  return 'a'.repeat(Number(length < longestText ? length : longestText));
}

function boundsOf(definition: Definition): Partial<Record<BoundName, bigint>> {
  return Object.fromEntries(readBounds(definition).map(({ name, limit }) => [name, limit]));
}
