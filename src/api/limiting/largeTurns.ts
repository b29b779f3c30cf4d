import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { createTurnQueues } from '../../platform/turns/turnQueues.ts';

/** Admits requests that are large or compute for long in turns over their senders. */
export type LargeTurns = {
  /**
   * Runs a request: at once if it is small, otherwise when its sender's turn has come. Its body is not
   * read before. `work` gets a function to call before it computes for long; only a heavy request needs it.
   *
   * @param request.isHeavy whether it computes for long, however small its body is.
   * @param request.owner the turn; a function is called only for a large request.
   * @throws RateLimitedError if too many of the same sender wait.
   * @throws whatever `owner` throws.
   */
  run<Answer>(
    request: {
      owner: string | (() => Promise<string>);
      headers: Headers;
      isHeavy?: boolean | undefined;
    },
    work: (compute: BeginComputing) => Promise<Answer>,
  ): Promise<Answer>;
};

/**
 * Waits for another turn if the request has lost its own, for example while its body arrived. Then the
 * request keeps the turn until it ends, however long it computes.
 *
 * @throws RateLimitedError if too many of the same sender wait.
 */
export type BeginComputing = () => Promise<void>;

/** Reading and checking a smaller body takes a few milliseconds. */
const largeBytes = 32_768;
/** The most of each kind at a time, and one of each sender: there is one event loop for them. */
const atOnce = 2;
/** A request that runs longer waits for something else, such as a chain, and no longer keeps its turn. */
const usualTurnMs = 100;
/** A simulation computes for no longer. */
const longestComputationMs = 2_000;
const mostWaiting = 100;
const retryAfterSeconds = 1;

/**
 * A large body takes the event loop for tens of milliseconds, step by step. With forty at once, everybody
 * else would wait for a step of each of them between any two steps of their own. Heavy requests have places of
 * their own: nobody's large body waits until another's simulation ends. Each sender has one place of either kind.
 */
export function createLargeTurns({ turnMs = usualTurnMs }: { turnMs?: number } = {}): LargeTurns {
  const places = createPlaces(turnMs);

  return {
    async run({ owner: stated, headers, isHeavy = false }, work) {
      const hasLargeBody = isLarge(headers);
      if (!isHeavy && !hasLargeBody) return work(async () => {});
      const owner = typeof stated === 'string' ? stated : await stated();
      const request = { owner, hasLargeBody, kind: isHeavy ? 'heavy' : 'large' } as const;
      let turn = await places.enter(request);
      const overdue = setTimeout(turn.leave, turnMs);
      const compute = async () => {
        if (!isHeavy) return;
        clearTimeout(overdue);
        if (turn.hasEnded()) turn = await places.enter(request);
        turn.keep();
      };
      try {
        return await work(compute);
      } finally {
        clearTimeout(overdue);
        turn.leave();
      }
    },
  };
}

type Turn = {
  /** The turn is kept until the request ends: the pause that follows is proportional to the whole time. */
  keep(): void;
  /** Gives the turn away, once. */
  leave(): void;
  hasEnded(): boolean;
};

const kinds = ['heavy', 'large'] as const;
type Kind = (typeof kinds)[number];

/** Places for requests under way, given in turns over their owners. */
function createPlaces(turnMs: number) {
  const queues = createTurnQueues<{ kind: Kind; start(): void }>({ kindOf: ({ kind }) => kind });
  const running = { heavy: 0, large: 0 };

  const begin = () => {
    for (const kind of kinds)
      while (running[kind] < atOnce) {
        const next = queues.take(kind);
        if (!next) break;
        running[kind]++;
        next.start();
      }
  };

  return {
    /** @throws RateLimitedError if too many of the owner wait. */
    async enter({
      owner,
      hasLargeBody,
      kind,
    }: {
      owner: string;
      hasLargeBody: boolean;
      kind: Kind;
    }): Promise<Turn> {
      if (queues.count(owner) >= mostWaiting)
        throw new RateLimitedError('Too many large requests are waiting.', { retryAfterSeconds });
      const { promise, resolve } = Promise.withResolvers<void>();
      queues.add(owner, { kind, start: resolve });
      begin();
      await promise;
      const startedAt = performance.now();
      let hasEnded = false;
      let longestMs = turnMs;
      return {
        keep() {
          longestMs = longestComputationMs;
        },
        hasEnded: () => hasEnded,
        leave() {
          if (hasEnded) return;
          hasEnded = true;
          running[kind]--;
          begin();
          const end = () => {
            queues.end(owner);
            begin();
          };
          // Small requests sent one at a time need no pause.
          if (!hasLargeBody && queues.count(owner) === 0) return end();
          // Small requests go on meanwhile: the sender's next one comes after a pause twice as long.
          setTimeout(end, 2 * Math.min(performance.now() - startedAt, longestMs)).unref();
        },
      };
    },
  };
}

/** A body without an announced length may have any length. */
function isLarge(headers: Headers): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > largeBytes;
}
