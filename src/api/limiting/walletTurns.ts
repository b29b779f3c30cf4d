import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { leaveTurn } from '../../platform/turns/leaveTurn.ts';
import { createTurnQueues } from '../../platform/turns/turnQueues.ts';

/** Runs the work of logged-in wallets one after the other, in turns over wallets. */
export type WalletTurns = {
  /** @throws RateLimitedError if too many requests of the wallet wait. */
  run<Result>(wallet: string, work: () => Promise<Result>): Promise<Result>;
};

/** A request that runs longer waits for a database that may not answer, and no longer keeps the place. */
const usualPlaceMs = 5_000;
const mostWaiting = 100;
const retryAfterSeconds = 1;

/**
 * Anybody may have any number of wallets. So wallets wait for each other only, and all of them together have one
 * place, with a pause after work that took long.
 */
export function createWalletTurns({ placeMs = usualPlaceMs }: { placeMs?: number } = {}): WalletTurns {
  const queues = createTurnQueues<() => Promise<void>>();
  let isTaken = false;

  const begin = () => {
    const start = isTaken ? undefined : queues.take();
    if (!start) return;
    isTaken = true;
    void start();
  };
  const takePlace = () => {
    let isMine = true;
    const leave = () => {
      if (isMine) isTaken = false;
      isMine = false;
      begin();
    };
    const overdue = setTimeout(leave, placeMs).unref();
    return () => {
      clearTimeout(overdue);
      leave();
    };
  };

  return {
    async run<Result>(wallet: string, work: () => Promise<Result>) {
      if (queues.count(wallet) >= mostWaiting)
        throw new RateLimitedError('Too many requests of the wallet are waiting.', { retryAfterSeconds });
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      queues.add(wallet, async () => {
        const leavePlace = takePlace();
        const startedAt = performance.now();
        await work().then(resolve, reject);
        await leaveTurn(startedAt);
        queues.end(wallet);
        leavePlace();
      });
      begin();
      return promise;
    },
  };
}
