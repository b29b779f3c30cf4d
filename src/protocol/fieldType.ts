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

/** The on-chain type of an authored type name; names that the specification does not know, and none, are STRING. */
export function fieldTypeOf(typeName: string | undefined): FieldType {
  return byTypeName.get(typeName) ?? FieldType.STRING;
}

/** Text types proper: only for these is a JSON number or boolean not also accepted as its text. */
export function isTextType(typeName: string | undefined): boolean {
  return typeName === 'string' || typeName === 'signature' || typeName === 'dateTime';
}
