import { Readable } from 'node:stream';
import { text as collect } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';

/** Turns files of evidence into pages. */
export type EvidencePages = {
  /** The page of a file, which is verified for it as everybody else would. One at a time. */
  render(pieces: AsyncIterable<string>): Promise<string>;
  close(): Promise<void>;
};

/** In MiB: the file, what is read of it, and what it is checked with. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 };
const mostMs = 60_000;

/** Makes pages in a thread of their own: to verify a thousand signatures takes seconds. */
export function createEvidencePages(): EvidencePages {
  let last: Promise<unknown> = Promise.resolve();
  const workers = new Set<Worker>();

  const render = async (pieces: AsyncIterable<string>): Promise<string> => {
    const file = await collect(Readable.from(pieces));
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const worker = new Worker(new URL('./evidencePageWorker.ts', import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits,
      workerData: file,
    });
    workers.add(worker);
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The page of evidence was not made.')));
    const overdue = setTimeout(() => reject(new Error('The page of evidence took too long.')), mostMs);
    try {
      return await promise;
    } finally {
      clearTimeout(overdue);
      await worker.terminate();
      workers.delete(worker);
    }
  };

  return {
    render(pieces) {
      const page = last.then(() => render(pieces));
      last = page.catch(() => {});
      return page;
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}
