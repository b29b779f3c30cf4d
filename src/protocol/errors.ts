/** One thing to fix: the place (dotted path from the root, array positions as numbers) and the reason. */
export type Issue = { readonly path: string; readonly message: string };

/**
 * Root of every error that this folder throws on purpose. `issues` lists everything found, not only the
 * first.
 */
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

/** The document is fine, but its values must change, e.g. `values.paymentAmount`. */
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
