import type { Hex } from 'viem';
import { type DecodedField, decodeInputPayload } from '../../protocol/decodePayload.ts';
import { listInputIds } from '../../protocol/inputs.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import { nameHash } from '../../protocol/names.ts';
import { readTransitions } from '../../protocol/transitions.ts';

/** An authored document, as the chain's hashes are read with. */
export type AuthoredDocument = {
  agreement: unknown;
  /** The name of a state, or the hash where the document names none. */
  nameState(hash: Hex): string;
  /** The name of an input, or the hash where the document names none. */
  nameInput(hash: Hex): string;
  /** The data fields of a payload; without names, or none, where it does not decode under the document. Never throws. */
  decode(input: { inputId: Hex; payload: Hex }): DecodedField[];
};

/** Reads a document's text; one that is no JSON names nothing. */
export function readDocument(text: string): AuthoredDocument {
  const agreement = parse(text);
  const execution = new JsonCursor(agreement).at('execution');
  const stateNames = namesByHash([
    ...execution.at('states').keys(),
    execution.at('initialize').at('initialState').value,
    ...readTransitions(new JsonCursor(agreement)).flatMap(({ from, to }) => [from, to]),
  ]);
  const inputNames = namesByHash(listInputIds(new JsonCursor(agreement)));
  return {
    agreement,
    nameState: (hash) => stateNames.get(hash) ?? hash,
    nameInput: (hash) => inputNames.get(hash) ?? hash,
    decode: ({ inputId, payload }) =>
      attempt(() => decodeInputPayload(agreement, payload, inputId)) ??
      attempt(() => decodeInputPayload(null, payload)) ??
      [],
  };
}

/** A name with a NUL character cannot be stored as text; it is as good as none. */
function namesByHash(names: readonly unknown[]): Map<Hex, string> {
  const usable = names.filter((name) => typeof name === 'string' && !name.includes('\u0000'));
  return new Map(usable.map((name) => [nameHash(String(name)), String(name)]));
}

function parse(text: string): unknown {
  return attempt((): unknown => JSON.parse(text)) ?? null;
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
