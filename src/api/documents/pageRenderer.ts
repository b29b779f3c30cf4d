import type { Logger } from 'pino';
import { buildPlainPage } from './buildPage.ts';
import type { HostedDocument } from './hostedDocument.ts';
import { createRenderThread } from './renderThread.ts';

export type PageRenderer = {
  /** The page of a document; one with the plain text where rendering fails, takes too long, or has too many waiting for it. */
  render(document: HostedDocument): Promise<string>;
  /** Ends the thread; whoever still waits gets the plain page. */
  close(): Promise<void>;
};

export type RenderBounds = {
  /** For one page, once its turn has come. */
  readonly renderMs: number;
  /** From the request to the page, the wait for its turn included. */
  readonly patienceMs: number;
  readonly maxWaiting: number;
};

/** The largest ordinary documents take about a second on a slow machine. */
const defaultBounds: RenderBounds = { renderMs: 2_000, patienceMs: 8_000, maxWaiting: 100 };

/** A record whose page failed is not tried again for this time, so that it cannot keep the thread from others. */
const hopelessMs = 60_000;
const maxHopeless = 10_000;

type Job = { readonly document: HostedDocument; settle(page: string | undefined): void };

/** Renders pages one after the other beside the event loop, and never fails. */
export function createPageRenderer(options: { logger: Logger; bounds?: RenderBounds }): PageRenderer {
  const { logger, bounds = defaultBounds } = options;
  const thread = createRenderThread(bounds);
  const hopeless = createHopeless();
  const waiting: Job[] = [];
  let isWorking = false;
  let isClosed = false;

  const work = async () => {
    isWorking = true;
    for (let job = waiting.shift(); job; job = waiting.shift())
      try {
        job.settle(await thread.render(job.document));
      } catch (error) {
        const { agreementId } = job.document;
        if (!isClosed) {
          logger.warn({ agreementId, err: error }, 'a document is shown as plain text');
          hopeless.add(agreementId);
        }
        job.settle(undefined);
      }
    isWorking = false;
  };

  const enqueue = (document: HostedDocument): Promise<string | undefined> => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const job: Job = { document, settle: resolve };
    const impatient = setTimeout(() => {
      const place = waiting.indexOf(job);
      if (place !== -1) waiting.splice(place, 1);
      resolve(undefined);
    }, bounds.patienceMs);
    waiting.push(job);
    if (!isWorking) void work();
    return promise.finally(() => clearTimeout(impatient));
  };

  return {
    async render(document) {
      const isRefused = isClosed || waiting.length >= bounds.maxWaiting || hopeless.has(document.agreementId);
      const page = isRefused ? undefined : await enqueue(document);
      return page ?? buildPlainPage(document);
    },
    async close() {
      isClosed = true;
      for (const job of waiting.splice(0)) job.settle(undefined);
      await thread.close();
    },
  };
}

/** The records whose pages failed lately. */
function createHopeless() {
  const until = new Map<string, number>();
  return {
    has: (id: string) => (until.get(id) ?? 0) > performance.now(),
    add(id: string) {
      until.delete(id);
      until.set(id, performance.now() + hopelessMs);
      const [oldest] = until.keys();
      if (until.size > maxHopeless && oldest !== undefined) until.delete(oldest);
    },
  };
}
