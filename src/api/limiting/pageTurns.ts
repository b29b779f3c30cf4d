import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { costOf } from '../../platform/http/readCost.ts';

export type PageOptions = { readonly isOwed?: boolean };

/** Reads pages of lists in turns of their owner: many at once only while they are small. */
export type PageTurns = {
  /**
   * Reads a page: at once, unless the owner's last pages were large or slow, or several are being read.
   *
   * @param options.isOwed the answer to a change that is stored already, and is never refused.
   * @throws RateLimitedError if too many wait behind large or slow pages of the same owner.
   */
  run<Page extends object>(
    owner: string,
    read: () => Promise<Page> | Page,
    options?: PageOptions,
  ): Promise<Page>;
};

/** The most at a time of one owner whose pages are known to be small, as nearly all are. */
const mostAtOnce = 16;
/** The most at a time of an owner whose pages may be large: a page's size is known only when it is read. */
const fewAtOnce = 4;
const largeBytes = 65_536;
/** A megabyte takes the event loop some twenty milliseconds on its way from the database to the caller. */
const restMsPerMebibyte = 64;
/** After a large page, its owner's pages are read one at a time for this long; after a slow one, two at a time. */
const carefulMs = 2_000;
/** After a large or slow page, its owner's pages count as possibly so for this long. */
const rememberedMs = 60_000;
/** A read that waits for the database for longer than this, and longer than ordinary reads do, is slow. */
const slowReadMs = 20;
/** An ordinary read takes no longer than so many queries for nothing. */
const queriesPerRead = 4;
const slowAtOnce = 2;
/** A database can be slow for everybody and yet quick to answer for nothing. Then nobody must stand still. */
const longestRestMs = 250;
const mostWaiting = 100;
const retryAfterSeconds = 1;
const mebibyte = 1_048_576;

export type PageTurnsOptions = {
  /**
   * Asks the database for nothing. If it takes long for that, it is slow for everybody, and nobody rests for
   * the time of a read. Without this function, time does not count.
   */
  readonly askDatabase?: () => Promise<unknown>;
};

type Owner = {
  running: number;
  /** Small pages in a row. */
  small: number;
  largeAt: number;
  slowAt: number;
  isRemembered: boolean;
  readonly waiting: (() => void)[];
};

/**
 * A page may have megabytes. With a hundred requests for it at once, everybody else would wait for seconds,
 * and all pages would be in memory together. Many small pages at once cost less than few: reads that begin
 * together go to the database in one message.
 *
 * No index serves some combinations of filters, for which the database reads a hundred thousand rows for a
 * small page. So an owner also rests for the time of its slow reads.
 */
export function createPageTurns({ askDatabase }: PageTurnsOptions = {}): PageTurns {
  const owners = new Map<string, Owner>();

  const begin = (owner: Owner) => {
    const most = findMost(owner);
    // The next ones begin together, when half of them have left.
    if (most === mostAtOnce && owner.running > mostAtOnce / 2) return;
    while (owner.running < most) {
      const start = owner.waiting.shift();
      if (!start) return;
      owner.running++;
      start();
    }
  };
  const forget = (name: string, owner: Owner) => {
    if (owner.running > 0 || owner.isRemembered) return;
    const leftMs = Math.max(owner.largeAt, owner.slowAt) + rememberedMs - performance.now();
    if (leftMs <= 0) {
      owners.delete(name);
      return;
    }
    owner.isRemembered = true;
    setTimeout(() => {
      owner.isRemembered = false;
      forget(name, owner);
    }, leftMs).unref();
  };

  return {
    async run(name, read, { isOwed = false } = {}) {
      const owner = owners.get(name) ?? createOwner();
      owners.set(name, owner);
      if (!isOwed && findMost(owner) <= slowAtOnce && owner.waiting.length >= mostWaiting)
        throw new RateLimitedError('Too many large or slow reads are waiting.', { retryAfterSeconds });
      const { promise, resolve } = Promise.withResolvers<void>();
      owner.waiting.push(resolve);
      begin(owner);
      await promise;
      const leave = () => {
        owner.running--;
        begin(owner);
        forget(name, owner);
      };
      const rest = (restMs: number) => {
        if (restMs > 0) setTimeout(leave, restMs).unref();
        else leave();
      };
      const measureWait = startMeasure();
      let restMs = 0;
      try {
        const page = await read();
        const bytes = costOf(page);
        if (bytes <= largeBytes) owner.small++;
        else {
          Object.assign(owner, { small: 0, largeAt: performance.now() });
          restMs = (bytes / mebibyte) * restMsPerMebibyte;
        }
        return page;
      } finally {
        const waitedMs = askDatabase ? measureWait() : 0;
        if (!askDatabase || waitedMs < slowReadMs) rest(restMs);
        else
          void measureDatabase(askDatabase).then((usualMs) => {
            const slowMs = waitedMs - queriesPerRead * usualMs;
            if (slowMs < slowReadMs) return rest(restMs);
            Object.assign(owner, { small: 0, slowAt: performance.now() });
            rest(Math.max(restMs, Math.min(slowMs, longestRestMs)));
          });
      }
    },
  };
}

const never = Number.NEGATIVE_INFINITY;
const createOwner = (): Owner => ({
  ...{ running: 0, small: 0, largeAt: never, slowAt: never },
  ...{ isRemembered: false, waiting: [] },
});

/** How many pages of an owner may be read at a time now; it grows with each small page. */
function findMost({ small, largeAt, slowAt }: Owner): number {
  const now = performance.now();
  if (now - largeAt < carefulMs) return 1;
  if (now - slowAt < carefulMs) return slowAtOnce;
  if (now - Math.max(largeAt, slowAt) < rememberedMs) return fewAtOnce;
  return Math.min(fewAtOnce + small, mostAtOnce);
}

/**
 * Returns a function that says for how long the process has been idle since, which a read spends waiting for
 * the database. Its other time is spent on everybody's requests.
 */
function startMeasure(): () => number {
  const startedAt = performance.now();
  const before = performance.eventLoopUtilization();
  return () => {
    // Most reads are too short to look.
    const tookMs = performance.now() - startedAt;
    if (tookMs < slowReadMs) return tookMs;
    return tookMs - performance.eventLoopUtilization(before).active;
  };
}

/** How long the database needs for nothing now; for ever if it does not answer. */
async function measureDatabase(askDatabase: () => Promise<unknown>): Promise<number> {
  const askedAt = performance.now();
  try {
    await askDatabase();
    return performance.now() - askedAt;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
