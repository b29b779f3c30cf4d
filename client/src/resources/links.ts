import { Paged } from '../http/paged.ts';
import type { ReadOptions, Transport, WriteOptions } from '../http/transport.ts';
import type { AnswerOf, BodyOf, PageQuery, SigningLink } from '../types.ts';

/** Links with which somebody without a key sees one agreement and signs its inputs. */
export class Links {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Only this answer shows the address. */
  create(agreementId: string, body: BodyOf<'createSigningLink'>, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'createSigningLink'>>({
      path: '/agreements/{agreementId}/links',
      ids: { agreementId },
      body,
      once: true,
      options,
    });
  }

  /** Active links, with their uses. */
  list(agreementId: string, query: PageQuery = {}, options?: ReadOptions): Paged<SigningLink> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listSigningLinks'>>({
        path: '/agreements/{agreementId}/links',
        ids: { agreementId },
        query: { ...rest, cursor },
        options,
      }),
    );
  }

  revoke(agreementId: string, id: string, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'revokeSigningLink'>>({
      method: 'DELETE',
      path: '/agreements/{agreementId}/links/{id}',
      ids: { agreementId, id },
      once: true,
      options,
    });
  }
}
