import { Worker } from 'node:worker_threads';
import type { HostedDocument } from './hostedDocument.ts';

export type RenderThread = {
  /**
   * The rendered page of a document; one at a time.
   *
   * @throws Error where it takes too long, needs too much memory, or fails.
   */
  render(document: HostedDocument): Promise<string>;
  /** Ends the thread, and with it what it is rendering. */
  close(): Promise<void>;
};

/** What the thread says once it can work; no page is empty. */
export const readyMessage = '';

/** For the start of a thread on a busy machine; it is not counted as the page's time. */
const startMs = 5_000;
/** In MiB, of the thread alone: a text that needs more ends the thread, never the process. */
const resourceLimits = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/**
 * Renders pages in a thread, since the time that Markdown and HTML can take is not to be bounded from within. The thread starts
 * with the first page, is replaced after one that failed, and keeps the process running only while it works.
 */
export function createRenderThread({ renderMs }: { renderMs: number }): RenderThread {
  let idle: Worker | undefined;
  let abort: ((reason: Error) => void) | undefined;
  const workers = new Set<Worker>();

  const start = (): Worker => {
    const url = new URL('./pageWorker.ts', import.meta.url);
    const worker = new Worker(url, { env: {}, execArgv: [], resourceLimits });
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
