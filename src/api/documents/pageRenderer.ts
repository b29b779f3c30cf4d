import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { buildPlainPage } from './buildPage.ts';
import type { HostedDocument } from './hostedDocument.ts';
import { createRenderQueue } from './renderQueue.ts';

export type PageRenderer = {
  /**
   * The page of a principal's document; with plain text if rendering fails, takes too long, or too many wait.
   * One principal's pages are rendered one after the other.
   *
   * @throws RateLimitedError if too many plain pages of the principal wait.
   */
  render(document: HostedDocument, principalId: string): Promise<string>;
  /** Ends the threads; waiting requests get the plain page. */
  close(): Promise<void>;
};

export type RenderBounds = {
  /** For one page, once its turn has come. */
  readonly renderMs: number;
  /** From the request to the page, including the wait for its turn. */
  readonly patienceMs: number;
  /** Per principal. */
  readonly maxWaiting: number;
  /** Number of principals whose pages are rendered at a time. */
  readonly threads: number;
};

/** The largest ordinary documents take about a second on a slow machine. */
const defaultBounds: RenderBounds = { renderMs: 2_000, patienceMs: 8_000, maxWaiting: 20, threads: 2 };

/** After a record's page has failed, it is not tried again for this time, so that it cannot block the thread. */
const hopelessMs = 60_000;
const maxHopeless = 10_000;

/** The largest plain page takes some 50 ms, so the last of so many waits for a few seconds. */
const mostPlainWaiting = 100;
/** Only a thread that does not work takes so long. */
const plainMs = 10_000;
const retryAfterSeconds = 2;

/** Renders pages outside the event loop, in turns over principals. */
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
    renderMs: plainMs,
    onFailure: ({ agreementId }, error) =>
      logger.warn({ agreementId, err: error }, 'failed to write a plain page beside the event loop'),
  });

  const renderPlain = async (document: HostedDocument, principalId: string): Promise<string> => {
    if (plain.count(principalId) >= mostPlainWaiting)
      throw new RateLimitedError('Too many pages are waiting.', { retryAfterSeconds });
    return (await plain.render(document, principalId)) ?? buildPlainPage(document);
  };

  return {
    async render(document, principalId) {
      const hasRoom = rendered.count(principalId) < bounds.maxWaiting;
      const isRefused = !hasRoom || hopeless.has(document.agreementId);
      const page = isRefused ? undefined : await rendered.render(document, principalId);
      return page ?? renderPlain(document, principalId);
    },
    async close() {
      await Promise.all([rendered.close(), plain.close()]);
    },
  };
}
