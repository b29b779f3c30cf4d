import { Worker } from 'node:worker_threads';
import type { HostedDocument } from './hostedDocument.ts';

export type RenderThread = {
  /**
   * Renders the page of a document; one at a time.
   *
   * @throws Error if it takes too long, needs too much memory, or fails.
   */
  render(document: HostedDocument): Promise<string>;
  /** Ends the thread, and the page that it is rendering. */
  close(): Promise<void>;
};

/** `plain` is the text as written. */
export type PageForm = 'rendered' | 'plain';

/** The thread's message once it is ready; no page is empty. */
export const readyMessage = '';

/** In MiB, of the thread only: a text that needs more ends the thread, never the process. */
const resourceLimits = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/**
 * Renders pages in a thread, because the time for Markdown and HTML cannot be limited from within. The thread
 * starts with the first page, is replaced after a failed one, and keeps the process alive only while it
 * works.
 */
export function createRenderThread({
  form,
  startMs,
  renderMs,
}: {
  form: PageForm;
  startMs: number;
  renderMs: number;
}): RenderThread {
  let idle: Worker | undefined;
  let abort: ((reason: Error) => void) | undefined;
  const workers = new Set<Worker>();

  const start = (): Worker => {
    const url = new URL('./pageWorker.ts', import.meta.url);
    const worker = new Worker(url, { env: {}, execArgv: [], resourceLimits, workerData: form });
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
    // Without a listener an error of the thread would end the process.
    worker.on('error', () => {
      if (idle === worker) idle = undefined;
    });
    return worker;
  };

  const run = (worker: Worker, { document, isNew }: { document: HostedDocument; isNew: boolean }) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    abort = reject;
    const tooLong = () => reject(new Error('Rendering took too long.'));
    let overdue = setTimeout(tooLong, isNew ? startMs : renderMs);
    const onMessage = (message: string) => {
      if (message !== readyMessage) return resolve(message);
      clearTimeout(overdue);
      overdue = setTimeout(tooLong, renderMs);
    };
    worker.on('message', onMessage);
    worker.once('error', reject);
    worker.postMessage(document);
    return promise.finally(() => {
      clearTimeout(overdue);
      worker.off('message', onMessage);
      worker.off('error', reject);
      abort = undefined;
    });
  };

  return {
    async render(document) {
      const worker = idle ?? start();
      const isNew = worker !== idle;
      idle = undefined;
      worker.ref();
      try {
        const page = await run(worker, { document, isNew });
        worker.unref();
        idle = worker;
        return page;
      } catch (error) {
        await worker.terminate();
        throw error;
      }
    },
    async close() {
      abort?.(new Error('The thread is closed.'));
      await Promise.all([...workers].map((worker) => worker.terminate()));
      idle = undefined;
    },
  };
}
