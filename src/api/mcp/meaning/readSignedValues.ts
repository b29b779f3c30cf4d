import { isHex } from 'viem';
import { decodeInputPayload } from '../../../protocol/index.ts';

/**
 * The values in the payload of an input that is signed, by name. A name that the document does not have comes as its hash,
 * and a value that cannot be decoded as its bytes.
 */
export function readSignedValues(
  agreement: unknown,
  { inputId, payload }: { inputId: string; payload: string | undefined },
): Record<string, unknown> {
  const fields = isHex(payload) ? decodeInputPayload(agreement, payload, inputId) : [];
  return Object.fromEntries(fields.map(({ id, name, value, data }) => [name ?? id, value ?? data]));
}
