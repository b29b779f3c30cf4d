import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import { leaveTurn } from '../../platform/turns/leaveTurn.ts';
import { createTurnQueues } from '../../platform/turns/turnQueues.ts';

/** Runs the work of logged-in wallets one after the other, in turns over wallets. */
export type WalletTurns = {
  /** @throws RateLimitedError if too many requests of the wallet wait. */
  run<Result>(wallet: string, work: () => Promise<Result>): Promise<Result>;
};

const mostWaiting = 100;
const retryAfterSeconds = 1;

/**
 * Anybody may have any number of wallets. So wallets wait for each other only, and all of them together have one
 * place, with a pause after work that took long.
 */
export function createWalletTurns(): WalletTurns {
  const queues = createTurnQueues<() => Promise<void>>();
  let isAtWork = false;

  const begin = () => {
    const start = isAtWork ? undefined : queues.take();
    if (!start) return;
    isAtWork = true;
    void start();
  };

  return {
    async run<Result>(wallet: string, work: () => Promise<Result>) {
      if (queues.count(wallet) >= mostWaiting)
        throw new RateLimitedError('Too many requests of the wallet are waiting.', { retryAfterSeconds });
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      queues.add(wallet, async () => {
        const startedAt = performance.now();
        await work().then(resolve, reject);
        await leaveTurn(startedAt);
        isAtWork = false;
        queues.end(wallet);
        begin();
      });
      begin();
      return promise;
    },
  };
}
