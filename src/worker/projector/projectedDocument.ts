import type { Hex } from 'viem';
import type { Pace } from '../../platform/turns/pace.ts';
import { listInputIds } from '../../protocol/inputDefinitions.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import { nameHash } from '../../protocol/names.ts';
import { type PayloadReader, preparePayloadReader } from '../../protocol/payloadReader.ts';
import { readTransitions } from '../../protocol/transitions.ts';

/** The limit for preparing a document; a document that takes longer is useless to a fold. */
const preparationLimitMs = 5_000;

/** An authored document, for reading the chain's hashes. */
export type AuthoredDocument = {
  /** The name of a state, or the hash without a name. */
  nameState(hash: Hex): string;
  /** The name of an input, or the hash without a name. */
  nameInput(hash: Hex): string;
  /**
   * Reads payloads. Prepared at the first request, in steps that the caller controls, and kept.
   *
   * @throws Error if that takes too long.
   */
  prepare(pace: Pace): Promise<PayloadReader>;
};

/** Reads a document's text; text that is not JSON names nothing. */
export function readDocument(text: string): AuthoredDocument {
  const agreement = parse(text);
  const execution = new JsonCursor(agreement).at('execution');
  const stateNames = namesByHash([
    ...execution.at('states').keys(),
    execution.at('initialize').at('initialState').value,
    ...readTransitions(new JsonCursor(agreement)).flatMap(({ from, to }) => [from, to]),
  ]);
  const inputNames = namesByHash(listInputIds(new JsonCursor(agreement)));
  let reader: PayloadReader | undefined;
  return {
    nameState: (hash) => stateNames.get(hash) ?? hash,
    nameInput: (hash) => inputNames.get(hash) ?? hash,
    async prepare(pace) {
      reader ??= await prepareAtPace(agreement, pace);
      return reader;
    },
  };
}

async function prepareAtPace(agreement: unknown, pace: Pace): Promise<PayloadReader> {
  for (const steps = preparePayloadReader(agreement); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    await pace.breathe();
    if (pace.spentMs() > preparationLimitMs) {
      throw new Error(`The document takes longer than ${preparationLimitMs} ms to be read.`);
    }
  }
}

/** A name with a NUL character cannot be stored as text; it counts as missing. */
function namesByHash(names: readonly unknown[]): Map<Hex, string> {
  const usable = names.filter((name) => typeof name === 'string' && !name.includes('\u0000'));
  return new Map(usable.map((name) => [nameHash(String(name)), String(name)]));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
