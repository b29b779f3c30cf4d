import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { costOf } from '../../platform/http/readCost.ts';

/** Reads pages of lists in turns of their owner: many at once only while they are small. */
export type PageTurns = {
  /**
   * Reads a page: at once, unless the owner's last pages were large or several are being read.
   *
   * @throws RateLimitedError if too many wait behind large pages of the same owner.
   */
  run(owner: string, read: () => Promise<Response> | Response): Promise<Response>;
};

/** The most at a time of one owner whose pages are known to be small, as nearly all are. */
const mostAtOnce = 16;
/** The most at a time of an owner whose pages may be large: a page's size is known only when it is read. */
const fewAtOnce = 4;
const largeBytes = 65_536;
/** A megabyte takes the event loop some twenty milliseconds on its way from the database to the caller. */
const restMsPerMebibyte = 64;
/** After a large page, its owner's pages are read one at a time for this long. */
const slowMs = 2_000;
/** After a large page, its owner's pages count as possibly large for this long. */
const rememberedMs = 60_000;
const mostWaiting = 100;
const retryAfterSeconds = 1;
const mebibyte = 1_048_576;

type Owner = {
  running: number;
  /** Small pages in a row. */
  small: number;
  largeAt: number;
  isRemembered: boolean;
  readonly waiting: (() => void)[];
};

/**
 * A page may have megabytes. With a hundred requests for it at once, everybody else would wait for seconds,
 * and all pages would be in memory together. Many small pages at once cost less than few: reads that begin
 * together go to the database in one message.
 */
export function createPageTurns(): PageTurns {
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
    const leftMs = owner.largeAt + rememberedMs - performance.now();
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
    async run(name, read) {
      const owner = owners.get(name) ?? createOwner();
      owners.set(name, owner);
      if (findMost(owner) === 1 && owner.waiting.length >= mostWaiting)
        throw new RateLimitedError('Too many large reads are waiting.', { retryAfterSeconds });
      const { promise, resolve } = Promise.withResolvers<void>();
      owner.waiting.push(resolve);
      begin(owner);
      await promise;
      const leave = () => {
        owner.running--;
        begin(owner);
        forget(name, owner);
      };
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
        if (restMs > 0) setTimeout(leave, restMs).unref();
        else leave();
      }
    },
  };
}

const createOwner = (): Owner => ({
  ...{ running: 0, small: 0, largeAt: Number.NEGATIVE_INFINITY },
  ...{ isRemembered: false, waiting: [] },
});

/** How many pages of an owner may be read at a time now; it grows with each small page. */
function findMost({ small, largeAt }: Owner): number {
  const sinceMs = performance.now() - largeAt;
  if (sinceMs < slowMs) return 1;
  if (sinceMs < rememberedMs) return fewAtOnce;
  return Math.min(fewAtOnce + small, mostAtOnce);
}
