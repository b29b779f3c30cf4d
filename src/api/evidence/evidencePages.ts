import { Worker } from 'node:worker_threads';
import { RateLimitedError, RefusedError } from '../../platform/errors/serviceError.ts';
import { createTurnQueues } from '../../platform/turns/turnQueues.ts';

/** Turns evidence files into pages. */
export type EvidencePages = {
  /**
   * The page of a file, verified like by any other reader. One at a time, in turns over principals; the turn of a
   * principal is also that of its guests, in rotation.
   *
   * @param file.bytes the length of the file, as UTF-8.
   * @param owner.turn who waits together: the principal, or its guests.
   * @throws RefusedError `evidence_too_long` for a file that is too long for a page; nothing of it is read.
   * @throws RateLimitedError if too many pages of this `turn` wait.
   */
  render(
    file: { pieces: AsyncIterable<string>; bytes: number },
    owner: { principalId: string; turn: string },
  ): Promise<string>;
  close(): Promise<void>;
};

/**
 * A longer file has thousands of steps, or the largest values; verifying it takes a hundred times its size in
 * memory.
 */
const mostBytes = 8 * 1024 * 1024;
/** In MiB: for the file, its parsed form, and the verification. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };
const mostMs = 60_000;
const mostWaiting = 8;
const retryAfterSeconds = 5;

type Job = { readonly principalId: string; run(): Promise<void> };

/** Makes pages in a separate thread: verifying a thousand signatures takes seconds. */
export function createEvidencePages(): EvidencePages {
  const queues = createTurnQueues<Job>({ groupOf: ({ principalId }) => principalId });
  const workers = new Set<Worker>();
  let isAtWork = false;

  const begin = () => {
    const job = isAtWork ? undefined : queues.take();
    if (!job) return;
    isAtWork = true;
    void job.run();
  };

  const verify = async (file: string): Promise<string> => {
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
    worker.once('exit', () => reject(new Error('The evidence page could not be rendered.')));
    const overdue = setTimeout(() => reject(new Error('Rendering the evidence page took too long.')), mostMs);
    try {
      return await promise;
    } finally {
      clearTimeout(overdue);
      await worker.terminate();
      workers.delete(worker);
    }
  };

  return {
    async render({ pieces, bytes }, { principalId, turn }) {
      if (bytes > mostBytes) throw tooLong();
      if (queues.count(turn) >= mostWaiting)
        throw new RateLimitedError('Too many evidence pages are waiting to be rendered.', {
          retryAfterSeconds,
        });
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const run = async () => {
        await readFile(pieces).then(verify).then(resolve, reject);
        isAtWork = false;
        queues.end(turn);
        begin();
      };
      queues.add(turn, { principalId, run });
      begin();
      return promise;
    },
    async close() {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}

async function readFile(pieces: AsyncIterable<string>): Promise<string> {
  let file = '';
  for await (const piece of pieces) file += piece;
  return file;
}

function tooLong(): RefusedError {
  const message =
    'The evidence file is too large for a page. Request application/json, and check the file with agreements verify or at /verify.';
  return new RefusedError('evidence_too_long', message, { facts: { limitBytes: mostBytes } });
}
