/** Why an evidence file is refused; the first fault decides. */
export const refusalReasons = [
  'too_large',
  'not_json',
  'not_canonical',
  'bad_format',
  'unknown_factory',
  'document_mismatch',
  'parameters_mismatch',
  'order_invalid',
  'header_mismatch',
  'transaction_invalid',
  'transaction_proof_invalid',
  'receipt_proof_invalid',
  'log_mismatch',
  'call_mismatch',
  'signature_invalid',
  'incomplete',
  'replay_refused',
  'state_proof_invalid',
  'code_mismatch',
  'final_state_mismatch',
  'nonce_mismatch',
  'block_contradicted',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** A file that does not prove its content. `path` is the faulty part, such as `inputs[3].permit`. */
export class EvidenceRefusal extends Error {
  override readonly name = 'EvidenceRefusal';
  readonly reason: RefusalReason;
  readonly path: string;

  constructor(reason: RefusalReason, path: string, message: string) {
    super(message);
    this.reason = reason;
    this.path = path;
  }
}

/** @throws EvidenceRefusal always. */
export function refuse(reason: RefusalReason, path: string, message: string): never {
  throw new EvidenceRefusal(reason, path, message);
}
