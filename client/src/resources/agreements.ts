import { Paged } from '../http/paged.ts';
import type { CallOptions, ReadOptions, Transport, WriteOptions } from '../http/transport.ts';
import type {
  AgreementSummary,
  AnswerOf,
  BodyOf,
  DateFilter,
  InputRecord,
  PageQuery,
  Sort,
} from '../types.ts';
import { askEvidence, type OnProgress, pollEvidence } from './evidence.ts';

export type AgreementQuery = PageQuery & {
  /** Exactly this current state. */
  readonly state?: string | undefined;
  readonly chainId?: number | undefined;
  /** Prefix of the name; A to Z in either case. */
  readonly displayName?: { readonly startsWith?: string | undefined } | undefined;
  readonly createdAt?: DateFilter | undefined;
  readonly updatedAt?: DateFilter | undefined;
  readonly sort?: Sort<'createdAt' | 'updatedAt' | 'displayName'> | undefined;
};

/** The chain, if the record is given by an address that exists on several. */
export type OnChain = { readonly chainId?: number | undefined };

export type InputQuery = PageQuery &
  OnChain & {
    readonly userId?: string | undefined;
    readonly inputId?: string | undefined;
    readonly status?: InputRecord['status'] | undefined;
    readonly createdAt?: DateFilter | undefined;
    readonly updatedAt?: DateFilter | undefined;
    readonly sort?: Sort<'createdAt' | 'updatedAt'> | undefined;
  };

/** Agreements: author, deploy, advance and read them. `id` is a record's id or the address of its contract. */
export class Agreements {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The agreements of the key's principal, as summaries. */
  list(query: AgreementQuery = {}, options?: ReadOptions): Paged<AgreementSummary> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listAgreements'>>({
        path: '/agreements',
        query: { ...rest, cursor },
        options,
      }),
    );
  }

  /** The whole record of one agreement. */
  get(id: string, { chainId, ...options }: ReadOptions & OnChain = {}) {
    return this.#transport.data<AnswerOf<'getAgreement'>>({
      path: '/agreements/{id}',
      ids: { id },
      query: { chainId },
      options,
    });
  }

  /** The current state, and who can submit what now. */
  getState(id: string, { chainId, ...options }: ReadOptions & OnChain = {}) {
    return this.#transport.data<AnswerOf<'getAgreementState'>>({
      path: '/agreements/{id}/state',
      ids: { id },
      query: { chainId },
      options,
    });
  }

  /**
   * The text of a file that proves what happened; `verifyEvidence` of the verify entry checks it. Undefined
   * while its blocks are being proved; `readEvidence` waits for them.
   */
  getEvidence(
    id: string,
    { chainId, onProgress, ...options }: ReadOptions & OnChain & OnProgress = {},
  ): Promise<string | undefined> {
    return askEvidence(this.#transport, {
      path: '/agreements/{id}/evidence',
      ids: { id },
      query: { chainId },
      options,
      onProgress,
    });
  }

  /** The same; waits until the file is complete. */
  readEvidence(id: string, options: ReadOptions & OnChain & OnProgress = {}): Promise<string> {
    return pollEvidence(() => this.getEvidence(id, options), options.signal);
  }

  /** Its inputs, including those that reached the contract another way. */
  listInputs(id: string, query: InputQuery = {}, options?: ReadOptions): Paged<InputRecord> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listAgreementInputs'>>({
        path: '/agreements/{id}/inputs',
        ids: { id },
        query: { ...rest, cursor },
        options,
      }),
    );
  }

  /** Findings about a document alone. Refused with every issue if the document is invalid. */
  validateTemplate(agreement: BodyOf<'validateTemplate'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'validateTemplate'>>({
      path: '/agreements/validate-template',
      body: agreement,
      options,
    });
  }

  /** The initial data of a deployment: effective values, participants, warnings. */
  validate(body: BodyOf<'validateDeployment'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'validateDeployment'>>({
      path: '/agreements/validate',
      body,
      options,
    });
  }

  /**
   * The typed data that the owner signs to deploy. `deployAgreement` of the viem entry checks it before it
   * signs.
   */
  makeDeployTypedData(body: BodyOf<'makeDeployTypedData'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'makeDeployTypedData'>>({
      path: '/agreements/deploy-typed-data',
      body,
      options,
    });
  }

  /** Deploys with a signature, and answers once the agreement exists; with a Draft if that takes too long. */
  deployWithPermit(body: BodyOf<'deployWithPermit'>, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'deployWithPermit'>>({
      path: '/agreements/deploy-with-permit',
      body,
      once: true,
      slow: true,
      options,
    });
  }

  /** Stores a deployment for its owner to sign through a link; nothing is sent. */
  createDraft(body: BodyOf<'createDraft'>, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'createDraft'>>({
      path: '/agreements/drafts',
      body,
      once: true,
      options,
    });
  }

  /** Withdraws a draft that nobody has signed yet. */
  withdrawDraft(id: string, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'withdrawDraft'>>({
      method: 'DELETE',
      path: '/agreements/drafts/{id}',
      ids: { id },
      once: true,
      options,
    });
  }

  /** Sets what the participants' wallets may do. */
  update(id: string, body: BodyOf<'updateAgreement'>, { chainId, ...options }: WriteOptions & OnChain = {}) {
    return this.#transport.data<AnswerOf<'updateAgreement'>>({
      method: 'PATCH',
      path: '/agreements/{id}',
      ids: { id },
      query: { chainId },
      body,
      once: true,
      options,
    });
  }

  /** Adopts an agreement that was deployed elsewhere. */
  import(body: BodyOf<'importAgreement'>, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'importAgreement'>>({
      path: '/agreements/import',
      body,
      once: true,
      slow: true,
      options,
    });
  }

  /**
   * The typed data that the issuer of an input signs. `submitInput` of the viem entry checks it before it
   * signs. `pending: false` gives the mined nonce, otherwise the next one after all inputs under way.
   */
  makeInputTypedData(
    id: string,
    body: BodyOf<'makeInputTypedData'>,
    { chainId, pending, ...options }: CallOptions & OnChain & { readonly pending?: boolean } = {},
  ) {
    return this.#transport.data<AnswerOf<'makeInputTypedData'>>({
      path: '/agreements/{id}/input-typed-data',
      ids: { id },
      query: { chainId, pending },
      body,
      options,
    });
  }

  /** Submits a signed input, and answers once its transaction is under way. */
  submitInput(id: string, body: BodyOf<'submitInput'>, { chainId, ...options }: WriteOptions & OnChain = {}) {
    return this.#transport.data<AnswerOf<'submitInput'>>({
      path: '/agreements/{id}/input',
      ids: { id },
      query: { chainId },
      body,
      once: true,
      options,
    });
  }

  /** Which notification rules would fire, and for whom. Sends nothing. */
  previewNotifications(
    id: string,
    body: BodyOf<'previewNotifications'>,
    { chainId, ...options }: CallOptions & OnChain = {},
  ) {
    return this.#transport.data<AnswerOf<'previewNotifications'>>({
      path: '/agreements/{id}/notifications/preview',
      ids: { id },
      query: { chainId },
      body,
      options,
    });
  }

  /** Simulates a deployment and inputs: what each would do, or why it is refused. Stores and sends nothing. */
  simulate(body: BodyOf<'simulateAgreement'>, options: CallOptions = {}) {
    return this.#transport.data<AnswerOf<'simulateAgreement'>>({
      path: '/agreements/simulate',
      body,
      options,
    });
  }

  /** Simulates inputs from an agreement's current state. Stores and sends nothing. */
  simulateInputs(
    id: string,
    body: BodyOf<'simulateRecord'>,
    { chainId, ...options }: ReadOptions & OnChain = {},
  ) {
    return this.#transport.data<AnswerOf<'simulateRecord'>>({
      reads: true,
      path: '/agreements/{id}/simulate',
      ids: { id },
      query: { chainId },
      body,
      options,
    });
  }
}
