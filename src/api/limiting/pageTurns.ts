import { RateLimitedError } from '../../platform/errors/serviceError.ts';

/** Reads pages of lists in turns of their owner, if they are large. */
export type PageTurns = {
  /**
   * Reads a page: at once, unless the owner's last pages were large or several are being read.
   *
   * @throws RateLimitedError where too many wait behind large pages of the same owner.
   */
  run(owner: string, read: () => Promise<Response> | Response): Promise<Response>;
};

/** The most at a time of one owner whose pages are small, as nearly all are. */
const atOnce = 4;
const largeBytes = 65_536;
/** A megabyte takes the event loop some twenty milliseconds on its way from the database to the caller. */
const restMsPerMebibyte = 64;
/** For so long after a large page its owner's pages are read one by one. */
const rememberedMs = 2_000;
const mostWaiting = 100;
const retryAfterSeconds = 1;
const mebibyte = 1_048_576;

type Owner = { running: number; largeUntil: number; readonly waiting: (() => void)[] };

/**
 * A page may have megabytes. With a hundred requests for it at once, everybody else would wait for seconds,
 * and all pages would be in memory together.
 */
export function createPageTurns(): PageTurns {
  const owners = new Map<string, Owner>();

  const isSlow = ({ largeUntil }: Owner) => performance.now() < largeUntil;
  const begin = (owner: Owner) => {
    const most = isSlow(owner) ? 1 : atOnce;
    while (owner.running < most) {
      const start = owner.waiting.shift();
      if (!start) return;
      owner.running++;
      start();
    }
  };
  const forget = (name: string, owner: Owner) => {
    if (owner.running > 0 || owners.get(name) !== owner) return;
    const leftMs = owner.largeUntil - performance.now();
    if (leftMs <= 0) owners.delete(name);
    else setTimeout(() => forget(name, owner), leftMs).unref();
  };

  return {
    async run(name, read) {
      const owner = owners.get(name) ?? { running: 0, largeUntil: 0, waiting: [] };
      owners.set(name, owner);
      if (isSlow(owner) && owner.waiting.length >= mostWaiting)
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
      let bytes = 0;
      try {
        const page = await read();
        bytes = Number(page.headers.get('content-length') ?? 0);
        return page;
      } finally {
        if (bytes <= largeBytes) leave();
        else {
          owner.largeUntil = performance.now() + rememberedMs;
          setTimeout(leave, (bytes / mebibyte) * restMsPerMebibyte).unref();
        }
      }
    },
  };
}
