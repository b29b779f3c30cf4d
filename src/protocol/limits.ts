/** How large an agreement may be. */
export type AgreementLimits = {
  readonly states: number;
  readonly inputs: number;
  readonly transitions: number;
  /** UTF-8 bytes of the document's text. */
  readonly jsonBytes: number;
  /** Objects and arrays within each other, the document itself being the first. */
  readonly nesting: number;
};

export const defaultAgreementLimits: AgreementLimits = {
  states: 256,
  inputs: 256,
  transitions: 256,
  jsonBytes: 512 * 1024,
  nesting: 64,
};
