import type { Hex } from 'viem';
import { compileAgreement } from '../compileAgreement.ts';
import { hashDocument, serializeAgreement } from '../document.ts';
import { ProtocolError } from '../errors.ts';
import { JsonCursor, type JsonObject } from '../jsonCursor.ts';
import type { AgreementParameters } from '../onChain.ts';
import { parseValue, type WireValues } from '../values.ts';
import { readVariables } from '../variables.ts';
import type { EvidenceFile, EvidenceValue } from './evidenceFile.ts';
import { refuse } from './refusal.ts';

export type CompiledDocument = { readonly agreement: unknown; readonly parameters: AgreementParameters };

/**
 * The values that a document's parameters need, as in evidence files. @throws ProtocolError if it does not
 * compile.
 */
export function listNeededValues(agreement: unknown, docUri: string, values: WireValues): EvidenceValue[] {
  const asked = new Set<string>();
  const watched: JsonObject = new Proxy(values, {
    getOwnPropertyDescriptor(target, name) {
      if (typeof name === 'string') asked.add(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
  compileAgreement(agreement, { docUri, values: watched });
  return [...asked].sort().flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [{ name, value }];
  });
}

/**
 * Compiles the document of a file to its on-chain parameters.
 *
 * @throws EvidenceRefusal `document_mismatch` if the text is not the hashed one, `parameters_mismatch` if it does not compile with the
 * file's values, or does not need all of them.
 */
export function compileDocument({ document, agreement: facts }: EvidenceFile): CompiledDocument {
  if (hashDocument(document.text) !== facts.docHash)
    refuse('document_mismatch', 'document.text', 'The text does not have the hash that the agreement names.');
  const agreement = parseText(document.text);
  const values: WireValues = Object.fromEntries(document.values.map(({ name, value }) => [name, value]));
  const refuseValues = (message: string) => refuse('parameters_mismatch', 'document.values', message);
  try {
    const parameters = compileAgreement(agreement, { docUri: facts.docUri, values });
    const needed = listNeededValues(agreement, facts.docUri, values);
    if (JSON.stringify(needed) !== JSON.stringify(document.values))
      refuseValues('The values must be exactly those that the document needs, ascending by name.');
    requireCanonical(agreement, document.values);
    if (parameters.initialState !== facts.initialState)
      refuse('parameters_mismatch', 'agreement.initialState', 'The document starts in another state.');
    return { agreement, parameters };
  } catch (error) {
    if (error instanceof ProtocolError) refuseValues(`The document does not compile: ${error.message}`);
    throw error;
  }
}

function parseText(text: string): unknown {
  try {
    const agreement: unknown = JSON.parse(text);
    if (serializeAgreement(agreement) === text) return agreement;
  } catch {
    // Not JSON: refused below.
  }
  return refuse('document_mismatch', 'document.text', 'The text is not the canonical JSON of a document.');
}

/** Other spellings of one value would compile to the same. */
function requireCanonical(agreement: unknown, values: readonly EvidenceValue[]): void {
  const variables = new Map(
    readVariables(new JsonCursor(agreement)).map((variable) => [variable.name, variable]),
  );
  for (const [at, { name, value }] of values.entries()) {
    const variable = variables.get(name);
    const parsed = variable && parseValue(value, variable);
    if (parsed?.ok && parsed.value !== value)
      refuse('parameters_mismatch', `document.values[${at}]`, 'The value is not in its canonical form.');
  }
}

export function textHex(text: string): Hex {
  return `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
