/** One thing to fix: where (dotted path from the root of what was read, array positions as numbers) and why. */
export type Issue = { readonly path: string; readonly message: string };

/** Root of every error that this folder throws on purpose. `issues` lists all that was found, never only the first. */
export class ProtocolError extends Error {
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[], options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.issues = issues;
  }
}

/** The authored document itself has to change, e.g. `execution.inputs.accept.issuer`. */
export class AgreementError extends ProtocolError {
  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('The agreement does not compile.', issues, options);
  }
}

/** The document is fine, the values that came with it are not, e.g. `values.paymentAmount`. */
export class ValuesError extends ProtocolError {
  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super('The values do not fit the agreement.', issues, options);
  }
}

/** Bytes that are not the ABI encoding of a list of data fields. */
export class PayloadError extends ProtocolError {
  constructor(reason: string) {
    super('The payload is not a list of data fields.', [{ path: 'payload', message: reason }]);
  }
}
