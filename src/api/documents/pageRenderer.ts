import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { costOf } from '../../platform/http/readCost.ts';
import { buildPlainPage } from './buildPage.ts';
import type { HostedDocument } from './hostedDocument.ts';
import { createRenderQueue, type Reader } from './renderQueue.ts';

export type PageRenderer = {
  /**
   * The page of a principal's document; with plain text if rendering fails, takes too long, or too many wait.
   * The pages of one turn are rendered one after the other, by its readers in rotation.
   *
   * @throws RateLimitedError if too many plain pages of the reader wait, or too large documents of its turn.
   */
  render(document: HostedDocument, reader: Reader): Promise<string>;
  /** Ends the threads; waiting requests get the plain page. */
  close(): Promise<void>;
};

export type RenderBounds = {
  /** For the start of a thread; not counted as the page's time. */
  readonly startMs: number;
  /** For one page, once its turn has come. */
  readonly renderMs: number;
  /** From the request to the page, including the wait for its turn. */
  readonly patienceMs: number;
  /** Per reader. */
  readonly maxWaiting: number;
  /** Number of turns whose pages are rendered at a time. */
  readonly threads: number;
};

/** The largest ordinary documents take about a second on a slow machine. */
const defaultBounds: RenderBounds = {
  startMs: 5_000,
  renderMs: 2_000,
  patienceMs: 8_000,
  maxWaiting: 20,
  threads: 2,
};

/** After a record's page has failed, it is not tried again for this time, so that it cannot block the thread. */
const hopelessMs = 60_000;
const maxHopeless = 10_000;

/** The largest plain page takes some 50 ms, so the last of so many waits for a few seconds. */
const mostPlainWaiting = 100;
/** Of documents that wait, in memory, in one turn: some largest ones, or hundreds of ordinary ones. */
const mostHeldBytes = 32 * 1_048_576;
/** Only a thread that does not work takes so long. */
const plainMs = 10_000;
const retryAfterSeconds = 2;

/** Renders pages outside the event loop, in turns. */
export function createPageRenderer(options: { logger: Logger; bounds?: RenderBounds }): PageRenderer {
  const { logger, bounds = defaultBounds } = options;
  /** The records whose pages failed lately. */
  const hopeless = new LRUCache<string, true>({ max: maxHopeless, ttl: hopelessMs });
  const rendered = createRenderQueue({
    ...bounds,
    form: 'rendered',
    onFailure({ agreementId }, error) {
      logger.warn({ agreementId, err: error }, 'failed to render a document; showing plain text');
      hopeless.set(agreementId, true);
    },
  });
  const plain = createRenderQueue({
    form: 'plain',
    threads: 1,
    startMs: bounds.startMs,
    renderMs: plainMs,
    onFailure: ({ agreementId }, error) =>
      logger.warn({ agreementId, err: error }, 'failed to write a plain page beside the event loop'),
  });

  const refuse = () => new RateLimitedError('Too many pages are waiting.', { retryAfterSeconds });
  const renderPlain = async (document: HostedDocument, reader: Reader): Promise<string> => {
    if (plain.count(reader) >= mostPlainWaiting) throw refuse();
    return (await plain.render(document, reader)) ?? buildPlainPage(document);
  };
  const render = async (document: HostedDocument, reader: Reader): Promise<string> => {
    const hasRoom = rendered.count(reader) < bounds.maxWaiting;
    const isRefused = !hasRoom || hopeless.has(document.agreementId);
    const page = isRefused ? undefined : await rendered.render(document, reader);
    return page ?? renderPlain(document, reader);
  };
  const heldBytes = new Map<string, number>();
  const hold = (turn: string, bytes: number) => {
    const held = (heldBytes.get(turn) ?? 0) + bytes;
    if (held > 0) heldBytes.set(turn, held);
    else heldBytes.delete(turn);
  };

  return {
    async render(document, reader) {
      const { turn } = reader;
      const bytes = costOf(document);
      const held = heldBytes.get(turn) ?? 0;
      if (held > 0 && held + bytes > mostHeldBytes) throw refuse();
      hold(turn, bytes);
      try {
        return await render(document, reader);
      } finally {
        hold(turn, -bytes);
      }
    },
    async close() {
      await Promise.all([rendered.close(), plain.close()]);
    },
  };
}
