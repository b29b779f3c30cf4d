import { RLP } from '@ethereumjs/rlp';
import { bytesToHex, type Hex } from 'viem';

export type Item = string | Item[];

/**
 * A list after its type's byte, the form of transactions and receipts in a block. Legacy ones have no such
 * byte.
 */
export function encodeEnvelope(type: Hex, list: Item[]): Hex {
  const body = bytesToHex(RLP.encode(list));
  return type === '0x0' ? body : `${trim(type)}${body.slice(2)}`;
}

/** A quantity in RLP's form: whole bytes without leading zeros. */
export function trim(quantity: string): Hex {
  const digits = quantity.slice(2).replace(/^0+/, '');
  return `0x${digits.length % 2 === 1 ? '0' : ''}${digits}`;
}
