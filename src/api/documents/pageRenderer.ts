import type { Logger } from 'pino';
import { createTurnQueues } from '../../platform/turns/turnQueues.ts';
import { buildPlainPage } from './buildPage.ts';
import type { HostedDocument } from './hostedDocument.ts';
import { createRenderThread, type RenderThread } from './renderThread.ts';

export type PageRenderer = {
  /**
   * The page of a principal's document; with plain text if rendering fails, takes too long, or too many wait.
   * One principal's pages are rendered one after the other.
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

type Job = {
  readonly document: HostedDocument;
  readonly principalId: string;
  settle(page: string | undefined): void;
};

/** Renders pages outside the event loop, in turns over principals, and never fails. */
export function createPageRenderer(options: { logger: Logger; bounds?: RenderBounds }): PageRenderer {
  const { logger, bounds = defaultBounds } = options;
  const idle = Array.from({ length: bounds.threads }, () => createRenderThread(bounds));
  const threads = [...idle];
  const hopeless = createHopeless();
  const queues = createTurnQueues<Job>();
  let isClosed = false;

  const work = async (thread: RenderThread, { document, principalId, settle }: Job) => {
    try {
      settle(await thread.render(document));
    } catch (error) {
      const { agreementId } = document;
      if (!isClosed) {
        logger.warn({ agreementId, err: error }, 'failed to render a document; showing plain text');
        hopeless.add(agreementId);
      }
      settle(undefined);
    }
    queues.end(principalId);
    idle.push(thread);
    begin();
  };
  const begin = () => {
    while (idle.length > 0) {
      const job = queues.take();
      const thread = job && idle.pop();
      if (!thread) return;
      void work(thread, job);
    }
  };

  const enqueue = (document: HostedDocument, principalId: string): Promise<string | undefined> => {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const job: Job = { document, principalId, settle: resolve };
    const impatient = setTimeout(() => {
      queues.remove(principalId, job);
      resolve(undefined);
    }, bounds.patienceMs);
    queues.add(principalId, job);
    begin();
    return promise.finally(() => clearTimeout(impatient));
  };

  return {
    async render(document, principalId) {
      const hasRoom = queues.count(principalId) < bounds.maxWaiting;
      const isRefused = isClosed || !hasRoom || hopeless.has(document.agreementId);
      const page = isRefused ? undefined : await enqueue(document, principalId);
      return page ?? buildPlainPage(document);
    },
    async close() {
      isClosed = true;
      for (const job of queues.clear()) job.settle(undefined);
      await Promise.all(threads.map((thread) => thread.close()));
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
