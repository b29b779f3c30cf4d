import type { Address, Hex } from 'viem';

/** The contracts' `FieldType`, by number. */
export const FieldType = { UINT256: 0, STRING: 1, ADDRESS: 2, BOOL: 3, BYTES32: 4 } as const;
export type FieldType = (typeof FieldType)[keyof typeof FieldType];

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
