import type { Hex } from 'viem';
import { decodeDataFields } from './decodeDataFields.ts';
import type { DecodedField } from './decodePayload.ts';
import { decodeValue } from './decodeValue.ts';
import { PayloadError } from './errors.ts';
import type { Field } from './fields.ts';
import { listInputIds, readInput } from './inputDefinitions.ts';
import { JsonCursor } from './jsonCursor.ts';
import { nameHash } from './names.ts';
import type { WireValues } from './values.ts';
import { findVariable, readVariables } from './variables.ts';

/** Reads the payloads of a document's inputs. It looks up the names once, for any number of payloads. */
export type PayloadReader = {
  /**
   * Like `decodeInputPayload`, but only the first data field of each id, which is the one that the contract
   * reads.
   */
  decode(accepted: { inputId: Hex; payload: Hex }): DecodedField[];
  /** Like `applyAcceptedInput`. */
  apply(values: WireValues, accepted: { inputId: Hex; fields: readonly DecodedField[] }): WireValues;
};

type Named = Pick<Field, 'name' | 'declaredType' | 'fType'>;
/** The names of an input's fields by their ids, and which of them overwrite the variable of that name. */
type KnownInput = { names: ReadonlyMap<Hex, readonly Named[]>; variables: ReadonlyMap<Hex, string> };

const namesBetweenRests = 250;
/**
 * Data fields may share bytes. Fields that nobody has declared, and values that are kept, are read until together they
 * are as long as this many payloads.
 */
export const sharedPayloads = 4;

/**
 * Prepares a reader in many short steps and returns it at the end. The caller decides when to go on, and may
 * give up. Never throws.
 */
export function* preparePayloadReader(agreement: unknown): Generator<void, PayloadReader, void> {
  const root = new JsonCursor(agreement);
  const inputs = new Map<Hex, KnownInput>();
  const all = new Map<Hex, Named[]>();
  let count = 0;
  for (const id of listInputIds(root)) {
    const names = new Map<Hex, Named[]>();
    const variables = new Map<Hex, string>();
    for (const field of readInput(root, id).fields) {
      const hash = nameHash(field.name);
      note(names, hash, field);
      note(all, hash, field);
      if (overwrites(root, field)) variables.set(hash, field.name);
      if (++count % namesBetweenRests === 0) yield;
    }
    inputs.set(nameHash(id), { names, variables });
    yield;
  }
  for (const variable of readVariables(root)) {
    note(all, nameHash(variable.name), variable);
    if (++count % namesBetweenRests === 0) yield;
  }
  return createReader(inputs, all);
}

function overwrites(root: JsonCursor, { name, fType, isVariable }: Field): boolean {
  return isVariable || findVariable(root, name)?.fType === fType;
}

/** Keeps the first candidate of each type; no other is ever chosen. */
function note(names: Map<Hex, Named[]>, hash: Hex, { name, declaredType, fType }: Named): void {
  const known = names.get(hash);
  if (!known) names.set(hash, [{ name, declaredType, fType }]);
  else if (!known.some((other) => other.fType === fType)) known.push({ name, declaredType, fType });
}

function createReader(
  inputs: ReadonlyMap<Hex, KnownInput>,
  all: ReadonlyMap<Hex, readonly Named[]>,
): PayloadReader {
  return {
    decode: ({ inputId, payload }) => {
      const own = inputs.get(inputId)?.names;
      let room = payload.length * sharedPayloads;
      return firstOfEach(payload).flatMap(({ id, fType, data }) => {
        const candidates = [...(own?.get(id) ?? []), ...(all.get(id) ?? [])];
        room -= data.length;
        if (candidates.length === 0 && room < 0) return [];
        const match = candidates.find((candidate) => candidate.fType === fType);
        const name = (match ?? candidates[0])?.name ?? null;
        return [
          { id, fType, name, type: match?.declaredType ?? null, value: decodeValue(fType, data), data },
        ];
      });
    },
    apply(values, { inputId, fields }) {
      const variables = inputs.get(inputId)?.variables;
      const changes = fields.flatMap(({ id, value }) => {
        const name = variables?.get(id);
        return name === undefined || value === null ? [] : [[name, value] as const];
      });
      return changes.length === 0 ? values : { ...values, ...Object.fromEntries(changes) };
    },
  };
}

/** The data fields of a payload, the first of each id; none if the contract could not read any. */
function firstOfEach(payload: Hex) {
  try {
    const first = new Map<Hex, ReturnType<typeof decodeDataFields>[number]>();
    for (const field of decodeDataFields(payload)) if (!first.has(field.id)) first.set(field.id, field);
    return [...first.values()];
  } catch (cause) {
    if (cause instanceof PayloadError) return [];
    throw cause;
  }
}
