import type { Reason } from '../../platform/errors/serviceError.ts';
import type { ErrorStatus } from '../../platform/http/errorResponse.ts';

/** An agent's next step after a refusal. */
export type Remedies = {
  readonly byReason: Readonly<Partial<Record<Reason, string>>>;
  readonly byStatus: Readonly<Record<ErrorStatus, string>>;
};

const byReason: Remedies['byReason'] = {
  unsupported_chain:
    'Use one of the chain ids in supportedChainIds. Agreements on other chains can only be read.',
  invalid_agreement: 'Fix each path listed under issues, and check the document again with draft_agreement.',
  invalid_values:
    'Fix each path listed under issues. initValues has the values by variable name; the wallets of participant variables go into participants.',
  invalid_participants:
    'Give each participant variable one wallet, by its variableKey; draft_agreement lists them.',
  invalid_notification_template: 'Fix each path listed under issues, or leave the rules out.',
  document_id_taken: 'Prepare the deployment again with another documentId, or without one.',
  not_deployed:
    'Wait until read_agreement shows the status Deployed. If it shows an error, the agreement will not be deployed.',
  unknown_input: 'Use an inputId that read_agreement lists under next.',
  state_not_accepting:
    'The agreement is in another state now: call read_agreement and choose an input from next.',
  no_transition: 'No state accepts this input: choose one that read_agreement lists under next.',
  schema_mismatch: 'Fix each path listed under issues, then prepare and sign again.',
  issuer_not_allowed: 'Sign with one of the wallets that read_agreement lists for this input.',
  permit_expired: 'Call prepare_signature again, and have the new typed data signed.',
  deadline_too_far: 'Call prepare_signature again with an earlier deadline, or without one.',
  stale_nonce: 'Another permit of this signer was used first: call prepare_signature again, and sign again.',
  future_nonce:
    'An earlier permit of this signer is missing: submit the earlier one, or call prepare_signature again.',
  nonce_in_flight:
    'Another permit of this signer is pending: wait some seconds, then call prepare_signature again.',
  signature_mismatch:
    'Sign exactly the typed data of prepare_signature with the wallet of signer, and submit it with the same values and deadline.',
  action_reverted:
    'The contract would revert for the reason in the message: remove that reason, then try again.',
  relayer_unfunded:
    'The operator must fund a relayer wallet. Try again later; the signature stays valid until its deadline.',
  link_limit_reached: 'Revoke a link of this agreement, or wait until one expires.',
  cursor_expired: 'Start again without the cursor.',
  quota_exceeded: 'Wait, or ask the operator for a larger quota.',
  storage_exceeded: 'Ask the operator for a larger quota.',
};

const byStatus: Remedies['byStatus'] = {
  400: 'Fix the arguments listed under issues, and call again.',
  401: 'Configure a valid API key in the client.',
  402: 'Ask the operator to allow this scope for the principal of this API key.',
  403: 'This API key lacks the permission: use another key, or ask the operator.',
  404: 'Find the right id with find_agreements.',
  405: 'Use one of the listed tools.',
  409: 'Call read_agreement to see the current state, and decide again.',
  413: 'Send a smaller request.',
  415: 'Send JSON in UTF-8.',
  429: 'Wait for retryAfterSeconds, then call again.',
  500: 'Try once more. If it fails again, give the requestId to the operator.',
  503: 'Wait for retryAfterSeconds, then call again with the same arguments.',
};

/** By the names of the seven tools. */
export const agentRemedies: Remedies = { byReason, byStatus };

/** By the names of the hosted service's tools. */
export const hostedRemedies: Remedies = {
  byReason: {
    ...byReason,
    invalid_agreement:
      'Fix each path listed under issues, and check the document again with validate_agreement.',
    invalid_participants:
      'Give each participant variable one wallet, by its variableKey; validate_agreement lists them.',
    not_deployed:
      'Wait until get_agreement shows the status Deployed. If it shows an error, the agreement will not be deployed.',
    unknown_input: 'Use an inputId that get_agreement_state lists under acceptedInputs.',
    state_not_accepting:
      'The agreement is in another state now: call get_agreement_state and choose an input from acceptedInputs.',
    no_transition:
      'No state accepts this input: choose one that get_agreement_state lists under acceptedInputs.',
    issuer_not_allowed: 'Sign with one of the wallets that get_agreement_state lists for this input.',
    permit_expired: 'Prepare the typed data again, and have the new data signed.',
    deadline_too_far: 'Prepare the typed data again with an earlier deadline, or without one.',
    stale_nonce:
      'Another permit of this signer was used first: prepare the typed data again, and sign again.',
    future_nonce:
      'An earlier permit of this signer is missing: submit the earlier one, or prepare the typed data again.',
    nonce_in_flight:
      'Another permit of this signer is pending: wait some seconds, then prepare the typed data again.',
    signature_mismatch:
      'Sign exactly the prepared typed data with the wallet of signer, and submit it with the same values and deadline.',
  },
  byStatus: {
    ...byStatus,
    404: 'Find the right id with list_agreements.',
    409: 'Call get_agreement_state to see the current state, and decide again.',
  },
};

export function findRemedy(
  remedies: Remedies,
  { status, reason }: { readonly status: ErrorStatus; readonly reason: Reason | undefined },
): string {
  return (reason && remedies.byReason[reason]) ?? remedies.byStatus[status];
}
