import type { Reason } from '../../platform/errors/serviceError.ts';
import type { ErrorStatus } from '../../platform/http/errorResponse.ts';

/** An agent's next step after a refusal, by its reason. */
const byReason: Readonly<Partial<Record<Reason, string>>> = {
  unsupported_chain: 'Use one of the chain ids in supportedChainIds.',
  invalid_agreement: 'Fix each path listed under issues, and check the document again with draft_agreement.',
  invalid_values:
    'Fix each path listed under issues. initValues are by the names of variables; wallets of participant variables go into participants.',
  invalid_participants:
    'Give each participant variable one wallet, by its variableKey; draft_agreement lists them.',
  invalid_notification_template: 'Fix each path listed under issues, or leave the rules out.',
  document_id_taken: 'Prepare the deployment again with another documentId, or without one.',
  not_deployed: 'Wait until read_agreement says that it is Deployed; its error says why it never will be.',
  unknown_input: 'Use an inputId that read_agreement lists under next.',
  state_not_accepting: 'The agreement is in another state by now: call read_agreement and choose from next.',
  no_transition: 'No state accepts this input: choose one that read_agreement lists under next.',
  schema_mismatch: 'Fix each path listed under issues, then prepare and sign again.',
  issuer_not_allowed: 'Let one of the wallets sign that read_agreement lists for this input.',
  permit_expired: 'Call prepare_signature again, and have the new typed data signed.',
  deadline_too_far: 'Prepare it with a nearer deadline, or without one.',
  stale_nonce: 'Something else of this signer came first: call prepare_signature again, and sign again.',
  future_nonce: 'A permit before this one is missing: submit that one, or call prepare_signature again.',
  nonce_in_flight: 'Another permit of this signer is on its way: wait some seconds, then prepare again.',
  signature_mismatch:
    'Sign exactly the typed data of prepare_signature with the wallet of signer, and submit it with the same values and deadline.',
  action_reverted: 'The contract would revert for the reason in the message: change what it names.',
  relayer_unfunded: 'The operator of the service has to act. Try again later; the signature stays good.',
  link_limit_reached: 'Revoke links of this agreement first, or wait until some expire.',
  cursor_expired: 'Begin again without the cursor.',
  quota_exceeded: 'Wait, or ask the operator for a larger quota.',
  storage_exceeded: 'Ask the operator for a larger quota.',
};

const byStatus: Readonly<Record<ErrorStatus, string>> = {
  400: 'Fix the arguments as the issues say, and call again.',
  401: 'The operator of the client has to configure a valid API key.',
  402: 'The operator has to settle the entitlement of this API key.',
  403: 'This API key may not do that; another key, or the operator, can.',
  404: 'Look the id up with find_agreements.',
  405: 'Use one of the tools that are listed.',
  409: 'Call read_agreement to see how things stand, and decide again.',
  413: 'Send less at once.',
  415: 'Send JSON in UTF-8.',
  429: 'Wait as long as retryAfterSeconds says, then call again.',
  500: 'Try once more; if it stays, give the requestId to the operator.',
  503: 'Wait as long as retryAfterSeconds says, then call again with the same arguments.',
};

export function findRemedy(status: ErrorStatus, reason: Reason | undefined): string {
  return (reason && byReason[reason]) ?? byStatus[status];
}
