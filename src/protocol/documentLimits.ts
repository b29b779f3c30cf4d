import { outputCharacters } from './resolveText.ts';

/** Limits on the size of an agreement. They also bound everything that a service makes of a document. */
export type AgreementLimits = {
  /** UTF-8 bytes of the document's text. */
  readonly jsonBytes: number;
  /** Nesting depth of objects and arrays, counting the document itself. */
  readonly nesting: number;
  readonly states: number;
  readonly inputs: number;
  readonly transitions: number;
  /** Applies to the entries of `initialize.data` too. */
  readonly variables: number;
  readonly fieldsPerInput: number;
  /** Over all inputs together. */
  readonly fields: number;
  readonly actions: number;
  /** UTF-8 bytes of the name of a variable, state, input, field or contract. */
  readonly nameBytes: number;
  readonly patterns: number;
};

export const defaultAgreementLimits: AgreementLimits = {
  jsonBytes: 512 * 1024,
  nesting: 64,
  states: 256,
  inputs: 256,
  transitions: 256,
  variables: 512,
  fieldsPerInput: 128,
  fields: 1_024,
  actions: 64,
  nameBytes: 256,
  patterns: 128,
};

/** Limits without a setting: documents written by people stay far below them. */
export const fixedLimits = {
  contracts: 256,
  issuersPerInput: 64,
  /** Over all inputs together. */
  issuers: 2_048,
  argumentsPerAction: 32,
  functionsPerAction: 256,
  parametersPerFunction: 64,
  conditionsPerTransition: 64,
  /** Bytes of `metadata.templateId` and `metadata.id`, which every event carries. */
  templateIdBytes: 1_024,
  /** Values of a deployment or an input, known or unknown. */
  values: 2_048,
  /** Bytes of the rules of one variable or field, as JSON. */
  validationBytes: 4_096,
  /**
   * Bytes of the names, types and rules of all fields: each reference to a variable repeats the variable's
   * rules.
   */
  describedBytes: 512 * 1024,
  /** Characters of the texts in all actions and initial values: each reference to a text repeats it. */
  outputCharacters,
} as const;

/** Limits on the size of the values of a deployment or an input. */
export type ValueLimits = {
  /** UTF-8 bytes of one text. */
  readonly valueBytes: number;
  /** UTF-8 bytes of all texts together. */
  readonly allValuesBytes: number;
};

export const defaultValueLimits: ValueLimits = { valueBytes: 64 * 1024, allValuesBytes: 256 * 1024 };
