import { getAddress, type Hex } from 'viem';
import { AbiReader } from './abiReader.ts';
import { PayloadError } from './errors.ts';
import { hexToBytes } from './hex.ts';
import { FieldType } from './onChain.ts';
import type { WireValue } from './values.ts';

/** The value of a data field in wire form, or null if its data is not the encoding of a value of that type. */
export function decodeValue(fType: number, data: Hex): WireValue | null {
  if (fType === FieldType.STRING) return decodeText(data);
  if (!/^0x[0-9a-f]{64}$/i.test(data)) return null;
  switch (fType) {
    case FieldType.UINT256:
      return BigInt(data).toString();
    case FieldType.ADDRESS:
      return /^0x0{24}/.test(data) ? getAddress(`0x${data.slice(26)}`) : null;
    case FieldType.BOOL:
      return BigInt(data) > 1n ? null : BigInt(data) === 1n;
    case FieldType.BYTES32:
      return data.toLowerCase();
    default:
      return null;
  }
}

/** A byte order mark is part of the text; bytes that are not valid UTF-8 are not a text. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(data: Hex): string | null {
  try {
    const reader = new AbiReader(data);
    return utf8.decode(hexToBytes(`0x${reader.byteString(reader.number(0))}`));
  } catch (cause) {
    if (cause instanceof PayloadError || cause instanceof TypeError) return null;
    throw cause;
  }
}
