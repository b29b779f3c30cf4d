import type { Hex } from 'viem';
import { decodeDataFields } from './decodeDataFields.ts';
import { decodeValue } from './decodeValue.ts';
import { groupBy } from './groupBy.ts';
import { readInputs } from './inputDefinitions.ts';
import { JsonCursor } from './jsonCursor.ts';
import { nameHash } from './names.ts';
import type { FieldType } from './onChain.ts';
import type { WireValue } from './values.ts';
import { readVariables } from './variables.ts';

/** One data field of a payload, in the payload's order. */
export type DecodedField = {
  readonly id: Hex;
  readonly fType: number;
  /** The authored name whose hash is `id`; null if the document is missing or has no such name. */
  readonly name: string | null;
  /** The authored type, if the document has that name with this on-chain type. */
  readonly type: string | null;
  /** In wire form; null if `data` is not the encoding of a value of that type. */
  readonly value: WireValue | null;
  /** The value's encoding as submitted. */
  readonly data: Hex;
};

/**
 * The data fields of a payload that the chain has accepted. A document adds names and authored types. If the
 * input (name or hash) is given too, its fields take precedence over others with the same name. A field that
 * cannot be decoded loses only its own value.
 *
 * @throws PayloadError for bytes that the contract would not have accepted as a list of data fields either.
 */
export function decodeInputPayload(agreement: unknown, payload: Hex, inputId?: string): DecodedField[] {
  const names =
    agreement === null ? new Map<Hex, Candidate[]>() : indexNames(new JsonCursor(agreement), inputId);
  return decodeDataFields(payload).map(({ id, fType, data }) => {
    const candidates = names.get(id) ?? [];
    const match = candidates.find((candidate) => candidate.fType === fType);
    const name = (match ?? candidates[0])?.name ?? null;
    return { id, fType, name, type: match?.declaredType ?? null, value: decodeValue(fType, data), data };
  });
}

type Candidate = {
  readonly name: string;
  readonly declaredType: string | undefined;
  readonly fType: FieldType;
};

/** Every name that a data field can carry: the input's fields, then other inputs' fields, then all variables. */
function indexNames(agreement: JsonCursor, inputId: string | undefined): Map<Hex, Candidate[]> {
  const inputs = readInputs(agreement);
  const isWanted = ({ id }: { id: string }) => id === inputId || nameHash(id) === inputId;
  const ordered = inputId === undefined ? inputs : [...inputs.filter(isWanted), ...inputs];
  const candidates = [...ordered.flatMap(({ fields }) => fields), ...readVariables(agreement)];
  return groupBy(candidates, ({ name }) => nameHash(name));
}
