import { Paged } from '../http/paged.ts';
import type { CallOptions, ReadOptions, Transport, WriteOptions } from '../http/transport.ts';
import type { AnswerOf, BodyOf, PageQuery, PortalLink, Session } from '../types.ts';

/** Browsers logged in with a key, or with a link of its principal. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sets the cookie that a client with `session` then uses. */
  create(body: NonNullable<BodyOf<'createSession'>> = {}, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'createSession'>>({
      path: '/sessions',
      body,
      options,
    });
  }

  /** The caller, and its permissions. */
  current(options?: ReadOptions) {
    return this.#transport.data<AnswerOf<'getCurrentSession'>>({
      path: '/sessions/current',
      options,
    });
  }

  /** Ends the caller's session. */
  end(options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'endCurrentSession'>>({
      method: 'DELETE',
      path: '/sessions/current',
      once: true,
      options,
    });
  }

  list(query: PageQuery = {}, options?: ReadOptions): Paged<Session> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listSessions'>>({
        path: '/sessions',
        query: { ...rest, cursor },
        options,
      }),
    );
  }

  revoke(id: string, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'revokeSession'>>({
      method: 'DELETE',
      path: '/sessions/{id}',
      ids: { id },
      once: true,
      options,
    });
  }

  /** A link that opens the console once; only this answer shows its address. */
  createLink(
    body: NonNullable<BodyOf<'createPortalLink'>> = { expiresInSeconds: 3_600 },
    options?: WriteOptions,
  ) {
    return this.#transport.data<AnswerOf<'createPortalLink'>>({
      path: '/sessions/links',
      body,
      once: true,
      options,
    });
  }

  /** Whom a link lets in and what for; it is not used up. */
  previewLink(body: BodyOf<'previewPortalLink'>, options?: CallOptions) {
    return this.#transport.data<AnswerOf<'previewPortalLink'>>({
      path: '/sessions/links/preview',
      body,
      options,
    });
  }

  listLinks(query: PageQuery = {}, options?: ReadOptions): Paged<PortalLink> {
    const { cursor: first, ...rest } = query;
    return new Paged((cursor = first) =>
      this.#transport.json<AnswerOf<'listPortalLinks'>>({
        path: '/sessions/links',
        query: { ...rest, cursor },
        options,
      }),
    );
  }

  revokeLink(id: string, options?: WriteOptions) {
    return this.#transport.data<AnswerOf<'revokePortalLink'>>({
      method: 'DELETE',
      path: '/sessions/links/{id}',
      ids: { id },
      once: true,
      options,
    });
  }
}
