import { Paged } from '../http/paged.ts';
import type { CallOptions, Transport } from '../http/transport.ts';
import type { AnswerOf, BodyOf, PageQuery, SharedInput } from '../types.ts';
import { askEvidence, type OnProgress, pollEvidence } from './evidence.ts';

/** One agreement for somebody without a key: through a signing link, or a logged-in wallet. */
export class Shared {
  readonly #transport: Transport;
  readonly #query: { readonly agreementId: string | undefined };

  /** @param agreementId which agreement, for a wallet; a link names its own. */
  constructor(transport: Transport, agreementId?: string) {
    this.#transport = transport;
    this.#query = { agreementId };
  }

  /** The agreement, and the possible actions. */
  get(options?: CallOptions) {
    return this.#transport.data<AnswerOf<'getSharedAgreement'>>({
      path: '/shared/agreement',
      query: this.#query,
      options,
    });
  }

  getDocument(options?: CallOptions) {
    return this.#transport.data<AnswerOf<'getSharedDocument'>>({
      path: '/shared/agreement/document',
      query: this.#query,
      options,
    });
  }

  getState(options?: CallOptions) {
    return this.#transport.data<AnswerOf<'getSharedState'>>({
      path: '/shared/agreement/state',
      query: this.#query,
      options,
    });
  }

  listInputs(query: PageQuery = {}, options?: CallOptions): Paged<SharedInput> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listSharedInputs'>>({
        path: '/shared/agreement/inputs',
        query: { ...rest, ...this.#query, cursor },
        options,
      }),
    );
  }

  /** The file that proves what happened, like `agreements.getEvidence` for principals. */
  getEvidence({ onProgress, ...options }: CallOptions & OnProgress = {}): Promise<string | undefined> {
    return askEvidence(this.#transport, {
      path: '/shared/agreement/evidence',
      query: this.#query,
      options,
      onProgress,
    });
  }

  /** The same; waits until the file is complete. */
  readEvidence(options: CallOptions & OnProgress = {}): Promise<string> {
    return pollEvidence(() => this.getEvidence(options), options.signal);
  }

  makeInputTypedData(body: BodyOf<'makeSharedInputTypedData'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'makeSharedInputTypedData'>>({
      path: '/shared/agreement/input-typed-data',
      query: this.#query,
      body,
      options,
    });
  }

  submitInput(body: BodyOf<'submitSharedInput'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'submitSharedInput'>>({
      path: '/shared/agreement/input',
      query: this.#query,
      body,
      options,
    });
  }

  /** The typed data for the owner of a draft. */
  makeDeployTypedData(body: BodyOf<'makeSharedDeployTypedData'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'makeSharedDeployTypedData'>>({
      path: '/shared/agreement/deploy-typed-data',
      query: this.#query,
      body,
      options,
    });
  }

  /** Deploys a draft with its owner's signature. */
  deployWithPermit(body: BodyOf<'deploySharedAgreement'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'deploySharedAgreement'>>({
      path: '/shared/agreement/deploy-with-permit',
      query: this.#query,
      body,
      slow: true,
      options,
    });
  }
}
