import { type FollowedEvent, type FollowOptions, followEvents } from '../followEvents.ts';
import { Paged } from '../http/paged.ts';
import type { CallOptions, ReadOptions, Transport } from '../http/transport.ts';
import type { AgreementEvent, AnswerOf } from '../types.ts';

export type EventQuery = {
  /** Events of one page, 1 to 100; 25 by default. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of an earlier page; without it the feed begins with the first event. */
  readonly after?: string | undefined;
};

/** The feed of events: what webhooks carry, in order, from one cursor. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All events so far. Await it for one page, which always has a `nextCursor`; iterate it to the end of the
   * feed.
   */
  list(query: EventQuery = {}, options?: ReadOptions): Paged<AgreementEvent> {
    const { after: first, limit } = query;
    return new Paged(
      (after = first) =>
        this.#transport.json<AnswerOf<'listEvents'>>({
          path: '/events',
          query: { after, limit },
          options,
        }),
      // The cursor is always present, even if nothing follows yet, and large events make pages shorter than the limit.
      ({ data }) => data.length === 0,
    );
  }

  /** The feed as endless server-sent events, from a cursor or `now`; `signal` ends it. */
  openStream(
    query: { readonly after?: string | undefined } = {},
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream({
      path: '/events/stream',
      query,
      accept: 'text/event-stream',
      options,
    });
  }

  /** All past and future events: see `followEvents`. */
  follow(options: FollowOptions = {}): AsyncGenerator<FollowedEvent, void, undefined> {
    return followEvents(
      {
        list: (query, call) => this.list(query, call),
        open: (query, call) => this.openStream(query, call),
      },
      options,
    );
  }
}
