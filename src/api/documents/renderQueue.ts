import { createTurnQueues } from '../../platform/turns/turnQueues.ts';
import type { HostedDocument } from './hostedDocument.ts';
import { createRenderThread, type PageForm, type RenderThread } from './renderThread.ts';

export type RenderQueue = {
  /** The page of a principal's document; undefined if it failed, or did not come in time. */
  render(document: HostedDocument, principalId: string): Promise<string | undefined>;
  /** Number of the principal's documents that wait for their turn. */
  count(principalId: string): number;
  /** Ends the threads, and the waits. */
  close(): Promise<void>;
};

type Job = {
  readonly document: HostedDocument;
  readonly principalId: string;
  settle(page: string | undefined): void;
};

/** Makes pages of one form in threads, in turns over principals: one page of each at a time. */
export function createRenderQueue(options: {
  form: PageForm;
  threads: number;
  /** For the start of a thread; not counted as the page's time. */
  startMs: number;
  /** For one page, once its turn has come. */
  renderMs: number;
  /** From the request to the page; unlimited if undefined. */
  patienceMs?: number;
  onFailure(document: HostedDocument, error: unknown): void;
}): RenderQueue {
  const { patienceMs, onFailure } = options;
  const idle = Array.from({ length: options.threads }, () => createRenderThread(options));
  const threads = [...idle];
  const queues = createTurnQueues<Job>();
  let isClosed = false;

  const work = async (thread: RenderThread, { document, principalId, settle }: Job) => {
    try {
      settle(await thread.render(document));
    } catch (error) {
      if (!isClosed) onFailure(document, error);
      settle(undefined);
    }
    queues.end(principalId);
    idle.push(thread);
    begin();
  };
  const begin = () => {
    while (idle.length > 0 && !isClosed) {
      const job = queues.take();
      const thread = job && idle.pop();
      if (!thread) return;
      void work(thread, job);
    }
  };

  return {
    render(document, principalId) {
      if (isClosed) return Promise.resolve(undefined);
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const job: Job = { document, principalId, settle: resolve };
      const giveUp = () => {
        queues.remove(principalId, job);
        resolve(undefined);
      };
      const impatient = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
      queues.add(principalId, job);
      begin();
      return promise.finally(() => clearTimeout(impatient));
    },
    count: queues.count,
    async close() {
      isClosed = true;
      for (const job of queues.clear()) job.settle(undefined);
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
