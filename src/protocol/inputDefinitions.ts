import { type Field, readFields } from './fields.ts';
import { type Issuer, readIssuer } from './issuers.ts';
import type { JsonCursor } from './jsonCursor.ts';
import { nameHash } from './names.ts';

/** An input of a document: its fields and its issuers. */
export type Input = { readonly id: string; readonly fields: readonly Field[]; readonly issuer: Issuer };

/** The names of the document's inputs, in order. */
export function listInputIds(agreement: JsonCursor): string[] {
  return agreement.at('execution').at('inputs').keys();
}

/** All inputs, in order. */
export function readInputs(agreement: JsonCursor): Input[] {
  return listInputIds(agreement).map((id) => readInput(agreement, id));
}

export function findInput(agreement: JsonCursor, id: string): Input | undefined {
  return listInputIds(agreement).includes(id) ? readInput(agreement, id) : undefined;
}

export function findInputByHash(agreement: JsonCursor, hash: string): Input | undefined {
  const id = listInputIds(agreement).find((name) => nameHash(name) === hash);
  return id === undefined ? undefined : readInput(agreement, id);
}

/** An input that the document has. */
export function readInput(agreement: JsonCursor, id: string): Input {
  const input = agreement.at('execution').at('inputs').at(id);
  if (input.isAbsent) input.refuse('must be an object');
  return { id, fields: readFields(agreement, input), issuer: readIssuer(agreement, input.at('issuer')) };
}
