/** The words in which prompts and resources name an endpoint's tools. */
export type ToolWords = {
  /** The tool that checks a document. */
  readonly check: string;
  /** When its answer lets a document pass. */
  readonly passed: string;
  /** How to play a document without deploying it. */
  readonly play: string;
  /** The tools that read an agreement, for the beginning of a sentence. */
  readonly read: string;
  /** What makes a deployment's typed data. */
  readonly prepare: string;
};

/** By the names of the seven tools. */
export const agentWords: ToolWords = {
  check: 'draft_agreement',
  passed: '`valid` is true and `findings` is empty',
  play: 'with simulate_agreement',
  read: 'Call read_agreement with include document and history.',
  prepare: 'prepare_signature with purpose deploy',
};

/** By the names of the hosted service's tools, of which none plays an agreement. */
export const hostedWords: ToolWords = {
  check: 'validate_agreement',
  passed: 'it refuses nothing, `warnings` is empty and `analysis` shows what was meant',
  play: 'in thought, transition by transition',
  read: 'Call get_agreement, get_agreement_state and get_input_history with it as agreementId, and get_agreement_document with the documentId of the record.',
  prepare: 'prepare_deployment_typed_data',
};
