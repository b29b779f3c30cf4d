import { createTurnQueues } from '../../platform/turns/turnQueues.ts';
import type { HostedDocument } from './hostedDocument.ts';
import { createRenderThread, type PageForm, type RenderThread } from './renderThread.ts';

/** Who reads a page, and who answers for all such readers: a principal may have any number of links. */
export type Reader = { readonly name: string; readonly turn: string };

export type RenderQueue = {
  /** The page of a document; undefined if it failed, or did not come in time. */
  render(document: HostedDocument, reader: Reader): Promise<string | undefined>;
  /** Number of the reader's documents that wait. */
  count(reader: Reader): number;
  /** Ends the threads, and the waits. */
  close(): Promise<void>;
};

type Job = {
  readonly document: HostedDocument;
  readonly reader: Reader;
  settle(page: string | undefined): void;
};

/** Makes pages of one form in threads: one page of each turn at a time, and within a turn by its readers in rotation. */
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
  const queues = createTurnQueues<Job>({ groupOf: ({ reader }) => reader.turn });
  let isClosed = false;

  const work = async (thread: RenderThread, { document, reader, settle }: Job) => {
    try {
      settle(await thread.render(document));
    } catch (error) {
      if (!isClosed) onFailure(document, error);
      settle(undefined);
    }
    queues.end(nameOf(reader));
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
    render(document, reader) {
      if (isClosed) return Promise.resolve(undefined);
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const job: Job = { document, reader, settle: resolve };
      const giveUp = () => {
        queues.remove(nameOf(reader), job);
        resolve(undefined);
      };
      const impatient = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs);
      queues.add(nameOf(reader), job);
      begin();
      return promise.finally(() => clearTimeout(impatient));
    },
    count: (reader) => queues.count(nameOf(reader)),
    async close() {
      isClosed = true;
      for (const job of queues.clear()) job.settle(undefined);
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** A wallet may read agreements of several principals. */
const nameOf = ({ name, turn }: Reader) => `${turn} ${name}`;
