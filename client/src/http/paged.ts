/** A part of a list. */
export type Page<Item> = {
  readonly data: readonly Item[];
  readonly pageInfo: {
    readonly limit: number;
    readonly nextCursor: string | null;
    readonly totalCount?: number;
  };
};

/**
 * A list. Await it for its first page; iterate it for all of its items, page after page as needed.
 *
 * @example
 * for await (const agreement of client.agreements.list({ state: 'OPEN' })) console.log(agreement.id);
 */
export class Paged<Item> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<Item>>;
  readonly #isLast: (page: Page<Item>) => boolean;

  constructor(
    fetch: (cursor: string | undefined) => Promise<Page<Item>>,
    isLast: (page: Page<Item>) => boolean = ({ pageInfo }) => pageInfo.nextCursor === null,
  ) {
    this.#fetch = fetch;
    this.#isLast = isLast;
  }

  // biome-ignore lint/suspicious/noThenProperty: a list that is awaited is its first page.
  then<Fulfilled = Page<Item>, Rejected = never>(
    onFulfilled?: ((page: Page<Item>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#fetch(undefined).then(onFulfilled, onRejected);
  }

  /** Page after page. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let page: Page<Item> | undefined;
    do {
      page = await this.#fetch(page?.pageInfo.nextCursor ?? undefined);
      yield page;
    } while (!this.#isLast(page));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }
}
