import type { Hex } from 'viem';
import { AgreementError } from './errors.ts';
import { isJsonObject } from './jsonCursor.ts';
import { keccak256Text } from './keccak.ts';

/**
 * The document's text to hash, sign and store: `JSON.stringify` of the parsed document.
 *
 * @throws AgreementError for anything but a JSON object, or one that nests deeper than the machine's stack.
 */
export function serializeAgreement(agreement: unknown): string {
  if (!isJsonObject(agreement)) throw new AgreementError([{ path: '', message: 'must be an object' }]);
  try {
    return JSON.stringify(agreement);
  } catch (cause) {
    throw new AgreementError(
      [{ path: '', message: 'cannot be written as JSON: it is nested too deeply or in a circle' }],
      { cause },
    );
  }
}

/** The `docHash` of a document's text: keccak256 of its UTF-8 bytes. */
export function hashDocument(text: string): Hex {
  return keccak256Text(text);
}
