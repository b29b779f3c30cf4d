import type { Hex } from 'viem';
import type { DataField } from '../onChain.ts';
import { arrayAt, byteStringAt, placeAt, requireHead, sizeOf, wordAt } from './decoder.ts';
import { fieldTypeCount } from './fieldData.ts';
import { refuseBytes } from './reverts.ts';

const itemBytes = 96;
/** Items may share their data, and each gets a copy. No block has the gas for more than this. */
const maxDataBytes = 2 ** 24;

/** Solidity's `abi.decode(payload, (DataField[]))`, in the compiler's order of checks: an item's head, its type, its data. */
export function decodeFields(payload: Hex): DataField[] {
  requireHead(payload, 1);
  const { start, length } = arrayAt(payload, placeAt(payload, 0));
  const fields: DataField[] = [];
  let dataBytes = 0;
  for (let index = 0; index < length; index++) {
    const field = decodeField(payload, start + placeAt(payload, start + index * 32));
    dataBytes += sizeOf(field.data);
    if (dataBytes > maxDataBytes) refuseBytes();
    fields.push(field);
  }
  return fields;
}

function decodeField(payload: Hex, at: number): DataField {
  if (at + itemBytes > sizeOf(payload)) refuseBytes();
  const fType = BigInt(`0x${wordAt(payload, at + 32)}`);
  if (fType >= fieldTypeCount) refuseBytes();
  const data = byteStringAt(payload, at + placeAt(payload, at + 64));
  return { id: `0x${wordAt(payload, at)}`, fType: Number(fType), data: `0x${data}` };
}
