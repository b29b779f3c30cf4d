import { encodeAbiParameters, type Hex, keccak256, toHex } from 'viem';

/** The field types by their number in the ABI. */
export const fieldTypes = { UINT256: 0, STRING: 1, ADDRESS: 2, BOOL: 3, BYTES32: 4 } as const;
export type FieldTypeName = keyof typeof fieldTypes;

/** The ops of the condition language by their number in the ABI. */
export const ops = {
  STRING_MIN_LENGTH: 0,
  STRING_MAX_LENGTH: 1,
  STRING_EQ_CONST: 2,
  STRING_EQ_VAR: 3,
  UINT_EQ_CONST: 4,
  UINT_GT_CONST: 5,
  UINT_GTE_CONST: 6,
  UINT_LT_CONST: 7,
  UINT_LTE_CONST: 8,
  UINT_EQ_VAR: 9,
  UINT_GT_VAR: 10,
  UINT_GTE_VAR: 11,
  UINT_LT_VAR: 12,
  UINT_LTE_VAR: 13,
  ADDRESS_EQ_CONST: 14,
  ADDRESS_EQ_VAR: 15,
  SENDER_EQ_VAR_ADDRESS: 16,
  SENDER_IN_ALLOWED_ADDRESSES: 17,
} as const;
export type OpName = keyof typeof ops;

export interface DataField {
  id: Hex;
  fType: number;
  data: Hex;
}

const dataFieldsParameter = {
  type: 'tuple[]',
  components: [
    { name: 'id', type: 'bytes32' },
    { name: 'fType', type: 'uint8' },
    { name: 'data', type: 'bytes' },
  ],
} as const;

/** The id of a state, an input, a field or a variable. */
export const id = (name: string): Hex => keccak256(toHex(name));

export const encodeUint = (value: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [value]);
export const encodeText = (value: string): Hex => encodeAbiParameters([{ type: 'string' }], [value]);
export const encodeAddress = (value: Hex): Hex => encodeAbiParameters([{ type: 'address' }], [value]);
export const encodeBool = (value: boolean): Hex => encodeAbiParameters([{ type: 'bool' }], [value]);

/** A submitted value or an initial variable, with its data already encoded. */
export function dataField(name: string, type: FieldTypeName, data: Hex): DataField {
  return { id: id(name), fType: fieldTypes[type], data };
}

export const uintField = (name: string, value: bigint) => dataField(name, 'UINT256', encodeUint(value));
export const textField = (name: string, value: string) => dataField(name, 'STRING', encodeText(value));
export const addressField = (name: string, value: Hex) => dataField(name, 'ADDRESS', encodeAddress(value));
export const boolField = (name: string, value: boolean) => dataField(name, 'BOOL', encodeBool(value));
export const bytes32Field = (name: string, value: Hex) => dataField(name, 'BYTES32', value);

export const encodePayload = (...fields: DataField[]): Hex =>
  encodeAbiParameters([dataFieldsParameter], [fields]);

/** A declared field: by default required and not persisted. */
export function declare(name: string, type: FieldTypeName, { required = true, persist = false } = {}) {
  return { fieldId: id(name), fType: fieldTypes[type], required, persist };
}

/** A condition on the field `name`. The operand of a VAR op is the encoded id of the variable. */
export function condition(op: OpName, name: string, bytesArg: Hex) {
  return { op: ops[op], fieldId: id(name), bytesArg };
}

/** Only the address in this variable may submit. */
export const senderIs = (variable: string) => condition('SENDER_EQ_VAR_ADDRESS', variable, '0x');

/** Only these addresses may submit. The engine reads the variables first. */
export function senderIsOneOf(variables: string[], literals: Hex[]) {
  const bytesArg = encodeAbiParameters(
    [{ type: 'bytes32[]' }, { type: 'address[]' }],
    [variables.map(id), literals],
  );
  return { op: ops.SENDER_IN_ALLOWED_ADDRESSES, fieldId: `0x${'0'.repeat(64)}` as const, bytesArg };
}
