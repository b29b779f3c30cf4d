import type { Address, Hex } from 'viem';

/** The contracts' `FieldType`, by number. */
export const FieldType = { UINT256: 0, STRING: 1, ADDRESS: 2, BOOL: 3, BYTES32: 4 } as const;
export type FieldType = (typeof FieldType)[keyof typeof FieldType];

/** The contracts' `Op`, by number: the bounds and sender ops, which are all that documents lead to. */
export const AuthoredOp = {
  STRING_MIN_LENGTH: 0,
  STRING_MAX_LENGTH: 1,
  UINT_GTE_CONST: 6,
  UINT_LTE_CONST: 8,
  SENDER_EQ_VAR_ADDRESS: 16,
  SENDER_IN_ALLOWED_ADDRESSES: 17,
} as const;

/** All of the contracts' condition language. */
export const Op = {
  ...AuthoredOp,
  STRING_EQ_CONST: 2,
  STRING_EQ_VAR: 3,
  UINT_EQ_CONST: 4,
  UINT_GT_CONST: 5,
  UINT_LT_CONST: 7,
  UINT_EQ_VAR: 9,
  UINT_GT_VAR: 10,
  UINT_GTE_VAR: 11,
  UINT_LT_VAR: 12,
  UINT_LTE_VAR: 13,
  ADDRESS_EQ_CONST: 14,
  ADDRESS_EQ_VAR: 15,
} as const;
export type Op = (typeof Op)[keyof typeof Op];

/** `fType` is a plain number if it was read from a chain, here and in `DataField`. */
export type InputFieldDef = { fieldId: Hex; fType: number; required: boolean; persist: boolean };
export type Condition = { op: number; fieldId: Hex; bytesArg: Hex };
export type InputDef = {
  id: Hex;
  fields: readonly InputFieldDef[];
  conditions: readonly Condition[];
  verifierKeys: readonly Hex[];
};
export type Transition = { fromState: Hex; toState: Hex; inputId: Hex };
/** `data` is the ABI encoding of the value. */
export type DataField = { id: Hex; fType: number; data: Hex };
export type VerifierInit = { key: Hex; verifier: Address };
export type ActionInit = { fromState: Hex; inputId: Hex; target: Address; value: bigint; data: Hex };

/** The arguments of the factory's `createAgreement…` functions: eight, named and ordered as in its ABI. */
export type AgreementParameters = {
  docUri: string;
  docHash: Hex;
  initialState: Hex;
  inputDefs: InputDef[];
  transitions: Transition[];
  initVars: DataField[];
  verifiers: VerifierInit[];
  actions: ActionInit[];
};
