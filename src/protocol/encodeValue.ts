import type { Hex } from 'viem';
import { AbiWriter } from './abiWriter.ts';
import { bytesToHex } from './hex.ts';
import { FieldType } from './onChain.ts';
import { toUtf8 } from './utf8.ts';
import type { WireValue } from './values.ts';

/** ABI encoding of a single value that `parseValue` accepted for this type. */
export function encodeValue(fType: FieldType, value: WireValue): Hex {
  switch (fType) {
    case FieldType.UINT256:
      return encodeUint(BigInt(value));
    case FieldType.BOOL:
      return encodeUint(value === true ? 1n : 0n);
    case FieldType.ADDRESS:
    case FieldType.BYTES32:
      return `0x${String(value).slice(2).toLowerCase().padStart(64, '0')}`;
    case FieldType.STRING:
      return encodeText(String(value));
  }
}

export function encodeUint(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

function encodeText(text: string): Hex {
  const writer = new AbiWriter();
  writer.struct((tail) => tail(() => writer.byteString(toUtf8(text))));
  return bytesToHex(writer.bytes);
}
