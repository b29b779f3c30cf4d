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
  /** What the name begins with; A to Z in either case. */
  readonly displayName?: { readonly startsWith?: string | undefined } | undefined;
  readonly createdAt?: DateFilter | undefined;
  readonly updatedAt?: DateFilter | undefined;
  readonly sort?: Sort<'createdAt' | 'updatedAt' | 'displayName'> | undefined;
};

/** Says which chain, where an address stands for the record and is known on several. */
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

/** Agreements: authored, deployed, moved and read. `id` is a record's id or the address of its contract. */
export class Agreements {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The agreements of the key, as summaries. */
  list(query: AgreementQuery = {}, options?: ReadOptions): Paged<AgreementSummary> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listAgreements'>>({
        method: 'GET',
        path: '/agreements',
        query: { ...rest, cursor },
        kind: 'read',
        options,
      }),
    );
  }

  /** The whole record of one agreement. */
  get(id: string, { chainId, ...options }: ReadOptions & OnChain = {}) {
    return this.#transport.data<AnswerOf<'getAgreement'>>({
      method: 'GET',
      path: '/agreements/{id}',
      ids: { id },
      query: { chainId },
      kind: 'read',
      options,
    });
  }

  /** The state that it is in, and what can be submitted now, by whom. */
  getState(id: string, { chainId, ...options }: ReadOptions & OnChain = {}) {
    return this.#transport.data<AnswerOf<'getAgreementState'>>({
      method: 'GET',
      path: '/agreements/{id}/state',
      ids: { id },
      query: { chainId },
      kind: 'read',
      options,
    });
  }

  /**
   * A file that proves what happened, as its text: `verifyEvidence` of the verify entry checks it. Undefined while its blocks are
   * being proved; `readEvidence` waits for them.
   */
  getEvidence(
    id: string,
    { chainId, onProgress, ...options }: ReadOptions & OnChain & OnProgress = {},
  ): Promise<string | undefined> {
    return askEvidence(this.#transport, {
      path: '/agreements/{id}/evidence',
      ids: { id },
      query: { chainId },
      kind: 'read',
      options,
      onProgress,
    });
  }

  /** The same, once it is there. */
  readEvidence(id: string, options: ReadOptions & OnChain & OnProgress = {}): Promise<string> {
    return pollEvidence(() => this.getEvidence(id, options), options.signal);
  }

  /** Its inputs, those too that reached the contract by another way. */
  listInputs(id: string, query: InputQuery = {}, options?: ReadOptions): Paged<InputRecord> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listAgreementInputs'>>({
        method: 'GET',
        path: '/agreements/{id}/inputs',
        ids: { id },
        query: { ...rest, cursor },
        kind: 'read',
        options,
      }),
    );
  }

  /** What is to be said of a document alone. Refused with every issue where it is not valid. */
  validateTemplate(agreement: BodyOf<'validateTemplate'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'validateTemplate'>>({
      method: 'POST',
      path: '/agreements/validate-template',
      body: agreement,
      options,
    });
  }

  /** What a deployment would start from: effective values, participants, warnings. */
  validate(body: BodyOf<'validateDeployment'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'validateDeployment'>>({
      method: 'POST',
      path: '/agreements/validate',
      body,
      options,
    });
  }

  /** What the owner signs to deploy. `deployAgreement` of the viem entry checks it before it signs. */
  makeDeployTypedData(body: BodyOf<'makeDeployTypedData'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'makeDeployTypedData'>>({
      method: 'POST',
      path: '/agreements/deploy-typed-data',
      body,
      options,
    });
  }

  /** Deploys with a signature, and answers once the agreement is there; a Draft where that takes too long. */
  deployWithPermit(body: BodyOf<'deployWithPermit'>, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'deployWithPermit'>>({
      method: 'POST',
      path: '/agreements/deploy-with-permit',
      body,
      kind: 'write',
      slow: true,
      options,
    });
  }

  /** Keeps a deployment for its owner to sign by a link; nothing is sent. */
  createDraft(body: BodyOf<'createDraft'>, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'createDraft'>>({
      method: 'POST',
      path: '/agreements/drafts',
      body,
      kind: 'write',
      options,
    });
  }

  /** Withdraws a draft that nobody has signed yet. */
  withdrawDraft(id: string, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'withdrawDraft'>>({
      method: 'DELETE',
      path: '/agreements/drafts/{id}',
      ids: { id },
      kind: 'write',
      options,
    });
  }

  /** Decides what the wallets of participants may do. */
  update(id: string, body: BodyOf<'updateAgreement'>, { chainId, ...options }: WriteOptions & OnChain = {}) {
    return this.#transport.data<AnswerOf<'updateAgreement'>>({
      method: 'PATCH',
      path: '/agreements/{id}',
      ids: { id },
      query: { chainId },
      body,
      kind: 'write',
      options,
    });
  }

  /** Takes over an agreement that was deployed elsewhere. */
  import(body: BodyOf<'importAgreement'>, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'importAgreement'>>({
      method: 'POST',
      path: '/agreements/import',
      body,
      kind: 'write',
      options,
    });
  }

  /**
   * What the issuer of an input signs. `submitInput` of the viem entry checks it before it signs. With `pending: false` for the mined
   * nonce, else for the next one after those on their way.
   */
  makeInputTypedData(
    id: string,
    body: BodyOf<'makeInputTypedData'>,
    { chainId, pending, ...options }: CallOptions & OnChain & { readonly pending?: boolean } = {},
  ) {
    return this.#transport.data<AnswerOf<'makeInputTypedData'>>({
      method: 'POST',
      path: '/agreements/{id}/input-typed-data',
      ids: { id },
      query: { chainId, pending },
      body,
      options,
    });
  }

  /** Submits a signed input, and answers once its transaction is on the way. */
  submitInput(id: string, body: BodyOf<'submitInput'>, { chainId, ...options }: WriteOptions & OnChain = {}) {
    return this.#transport.data<AnswerOf<'submitInput'>>({
      method: 'POST',
      path: '/agreements/{id}/input',
      ids: { id },
      query: { chainId },
      body,
      kind: 'write',
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
      method: 'POST',
      path: '/agreements/{id}/notifications/preview',
      ids: { id },
      query: { chainId },
      body,
      options,
    });
  }

  /** Plays a deployment and inputs: what each would do, or why it is refused. Stores and sends nothing. */
  simulate(body: BodyOf<'simulateAgreement'>, options: CallOptions = {}) {
    return this.#transport.data<AnswerOf<'simulateAgreement'>>({
      method: 'POST',
      path: '/agreements/simulate',
      body,
      options,
    });
  }

  /** Plays inputs from the present state of an agreement on. Stores and sends nothing. */
  simulateInputs(
    id: string,
    body: BodyOf<'simulateRecord'>,
    { chainId, ...options }: CallOptions & OnChain = {},
  ) {
    return this.#transport.data<AnswerOf<'simulateRecord'>>({
      method: 'POST',
      path: '/agreements/{id}/simulate',
      ids: { id },
      query: { chainId },
      body,
      options,
    });
  }
}
