import type { Logger } from 'pino';
import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { clientOf } from '../../platform/nodes/clients.ts';
import { holdHeapTight } from '../../platform/supervision/tightHeap.ts';
import { createTurnQueues } from '../../platform/turns/turnQueues.ts';
import type { Services } from '../../records/agreements/services.ts';
import { collectEvidence } from './collectEvidence.ts';
import type { CollectedEvidence } from './collectedEvidence.ts';
import { TurnOverError } from './collecting.ts';
import type { EvidenceSource } from './evidenceSource.ts';
import type { EvidenceRecord } from './evidenceSubject.ts';

export type EvidenceProgress = { readonly done: number; readonly total: number };

export type EvidenceDesk = {
  /**
   * Collects the evidence of a record, or joins a running collection. After `waitMs` the work goes on in the
   * background, and its progress is returned instead.
   *
   * @param turn who waits together: a principal, or the guests of one.
   * @throws RateLimitedError if too many records of this turn wait.
   * @throws what `collectEvidence` does, but TurnOverError.
   */
  collect(record: EvidenceRecord, turn: string): Promise<CollectedEvidence | EvidenceProgress>;
  /** Answers all requests that wait with the progress, and later ones at once. */
  endWaits(): void;
  /** Ends what waits and what runs. */
  close(): void;
};

/** Number of principals whose blocks are proved at a time; one record of each, also for its guests. */
const atOnce = 2;
const mostWaiting = 8;
const retryAfterSeconds = 5;
/**
 * After this time a collection goes back to the end of its queue, if others wait. If it has proved no more blocks
 * in its turn, it has to do again what it did, and its next turn is twice as long: so it comes to its end.
 */
const usualTurnMs = 30_000;

type Job = {
  readonly record: EvidenceRecord;
  progress: EvidenceProgress;
  isRunning: boolean;
  /** How long its next turn is, in milliseconds, while others wait. */
  turnMs: number;
  readonly done: Promise<CollectedEvidence>;
  run(): Promise<void>;
  cancel(): void;
};

/**
 * Collects evidence in turns over principals, and over the guests of each. A principal and its guests have one
 * collection under way at a time.
 */
export function createEvidenceDesk(
  services: Pick<Services, 'clients'> & {
    readonly source: EvidenceSource;
    readonly collect?: typeof collectEvidence;
  },
  {
    waitMs,
    logger,
    turnMs = usualTurnMs,
    now = () => performance.now(),
  }: { waitMs: number; logger: Logger; turnMs?: number; now?: () => number },
): EvidenceDesk {
  const { source, collect = collectEvidence } = services;
  const queues = createTurnQueues<Job>({ groupOf: ({ record }) => record.principalId });
  const jobs = new Map<string, Job>();
  const closing = new AbortController();
  const waits = new Set<() => void>();
  let isEnding = false;
  let running = 0;

  const begin = () => {
    while (running < atOnce) {
      const job = queues.take();
      if (!job) return;
      running++;
      void job.run();
    }
  };
  const add = (record: EvidenceRecord, turn: string): Job => {
    if (queues.count(turn) >= mostWaiting)
      throw new RateLimitedError('Evidence is already being collected for too many agreements.', {
        retryAfterSeconds,
      });
    const { promise, resolve, reject } = Promise.withResolvers<CollectedEvidence>();
    // When it fails, nobody may be waiting any more.
    promise.catch((error: unknown) =>
      logger.info({ agreementId: record.id, err: error }, 'no evidence was collected'),
    );
    const job: Job = {
      record,
      progress: { done: 0, total: 0 },
      isRunning: false,
      turnMs,
      done: promise,
      async run() {
        const release = holdHeapTight();
        const beganAt = now();
        const provedBefore = job.progress.done;
        let givesWay = false;
        job.isRunning = true;
        try {
          const onProgress = (done: number, total: number) => {
            job.progress = { done, total };
          };
          const client = clientOf(record.chainId, services);
          const isTurnOver = () =>
            now() - beganAt >= job.turnMs && [...jobs.values()].some(({ isRunning }) => !isRunning);
          const { signal } = closing;
          resolve(await collect({ source, client, record, onProgress, isTurnOver, signal }));
        } catch (error) {
          givesWay = error instanceof TurnOverError && !closing.signal.aborted;
          if (!givesWay) reject(error);
        } finally {
          release();
          job.isRunning = false;
          if (givesWay) {
            if (job.progress.done === provedBefore) job.turnMs *= 2;
            queues.add(turn, job);
          } else jobs.delete(record.id);
          queues.end(turn);
          running--;
          begin();
        }
      },
      cancel: () => reject(new Error('the service is stopping')),
    };
    jobs.set(record.id, job);
    queues.add(turn, job);
    begin();
    return job;
  };

  return {
    async collect(record, turn) {
      const job = jobs.get(record.id) ?? add(record, turn);
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const endWait = () => resolve(undefined);
      const timer = setTimeout(endWait, isEnding ? 0 : waitMs);
      waits.add(endWait);
      try {
        return (await Promise.race([job.done, late])) ?? job.progress;
      } finally {
        clearTimeout(timer);
        waits.delete(endWait);
      }
    },
    endWaits() {
      isEnding = true;
      for (const endWait of waits) endWait();
    },
    close() {
      closing.abort(new Error('the service is stopping'));
      queues.clear();
      // Running collections are not awaited: their node may never answer.
      for (const job of jobs.values()) job.cancel();
    },
  };
}
