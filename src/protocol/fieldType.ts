import { FieldType } from './onChain.ts';

const byTypeName = new Map<unknown, FieldType>([
  ['uint256', FieldType.UINT256],
  ['string', FieldType.STRING],
  ['signature', FieldType.STRING],
  ['dateTime', FieldType.STRING],
  ['address', FieldType.ADDRESS],
  ['bool', FieldType.BOOL],
  ['bytes32', FieldType.BYTES32],
  ['txHash', FieldType.BYTES32],
]);

/** Whether the specification names this authored type. */
export function isKnownType(typeName: unknown): boolean {
  return byTypeName.has(typeName);
}

/** The on-chain type of an authored type name; an unknown or missing name is STRING. */
export function fieldTypeOf(typeName: string | undefined): FieldType {
  return byTypeName.get(typeName) ?? FieldType.STRING;
}

/** Pure text types: for these, a JSON number or boolean is not accepted as its text. */
export function isTextType(typeName: string | undefined): boolean {
  return typeName === 'string' || typeName === 'signature' || typeName === 'dateTime';
}
