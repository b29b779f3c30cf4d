import type { Hex } from 'viem';
import { FieldType } from '../onChain.ts';
import { decodeAddress, decodeText, sizeOf, wordAt } from './decoder.ts';
import { refuseBytes, refuseFor } from './reverts.ts';

/** The types' names in errors, by number. */
const typeNames = ['UINT256', 'STRING', 'ADDRESS', 'BOOL', 'BYTES32'] as const;

/** The number of field types in the contracts; a higher number does not decode. */
export const fieldTypeCount = typeNames.length;

export function fieldTypeName(fType: number): string {
  return typeNames[fType] ?? refuseBytes();
}

/**
 * Reverts if `data` is not the encoding of a value of that type. Wrong sizes revert with a reason; the
 * decoder's own refusals revert without.
 */
export function requireDecodable(fType: number, data: Hex): void {
  const size = sizeOf(data);
  if (size === 0) refuseFor('Field data is empty');
  if (fType === FieldType.STRING) {
    if (size < 64) refuseFor('Invalid string encoding');
    decodeText(data);
    return;
  }
  if (size !== 32) refuseFor(`Invalid ${fieldTypeName(fType).toLowerCase()} encoding`);
  if (fType === FieldType.ADDRESS) decodeAddress(data);
  if (fType === FieldType.BOOL && BigInt(`0x${wordAt(data, 0)}`) > 1n) refuseBytes();
}
