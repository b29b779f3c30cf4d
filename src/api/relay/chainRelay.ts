import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import { type AttendedWallet, adoptWallet, attendWallet, checkBalance } from './attendWallet.ts';
import { createMarketReader } from './fees.ts';
import { describe } from './nodeAnswer.ts';
import { sendAttempts } from './sendAttempts.ts';
import { type SigningContext, signClaims } from './signClaims.ts';
import { createWallet } from './wallet.ts';
import { releaseLease, renewLease, retireWallets } from './walletLease.ts';

export type ChainRelay = {
  /** There may be something to send. */
  wake(): void;
  close(): Promise<void>;
};

export type ChainRelayOptions = SigningContext & { confirmations: number; privateKeys: readonly Hex[] };

const leaseRenewalMs = 3_000;
const attendanceMs = 1_000;
const balanceMs = 15_000;

/**
 * Sends what the outbox holds for one chain, with the wallets whose lease this process gets. Signing starts at once when it is
 * woken; looking after what is open has its own pace. Nothing that goes wrong ends it: it is logged and tried again.
 */
export function createChainRelay(options: ChainRelayOptions): ChainRelay {
  const { database, client, chainId, owner, settings, logger } = options;
  const wallets = options.privateKeys.map((key) => createWallet(key, chainId));
  const held = new Map<string, AttendedWallet>();
  const readMarket = createMarketReader(client, settings);
  const running = new Set<Promise<void>>();
  let isClosed = false;
  let isDraining = false;
  let isWoken = false;

  const track = (work: Promise<void>) => {
    const run = work.catch((error) => {
      logger.error(
        { chainId, err: error, text: describe(error) },
        'the relay could not do its work and tries again',
      );
    });
    running.add(run);
    void run.finally(() => running.delete(run));
    return run;
  };

  const renewAll = async () => {
    for (const wallet of wallets) {
      const lease = await renewLease(database, { chainId, address: wallet.address, owner });
      if (!lease) {
        if (held.delete(wallet.address))
          logger.warn({ chainId, wallet: wallet.address }, 'lost a relayer wallet');
        continue;
      }
      if (!lease.isNew && held.has(wallet.address)) continue;
      await adoptWallet(options, { wallet, market: await readMarket() });
      held.set(wallet.address, { wallet, hadGaps: false });
      logger.info({ chainId, wallet: wallet.address }, 'sends with a relayer wallet');
      wake();
    }
    await retireWallets(database, { chainId, addresses: wallets.map(({ address }) => address) });
  };

  const drain = async () => {
    const market = await readMarket();
    for (;;) {
      const signed = await Promise.all(
        [...held.values()].map(({ wallet }) => signClaims(options, wallet, market)),
      );
      // Sending goes on beside the next signing; what is lost on the way is sent again when the wallet is attended to.
      const attempts = signed.flat();
      if (attempts.length === 0 || isClosed) return;
      void track(sendAttempts(options, attempts).then(() => undefined));
    }
  };

  const wake = () => {
    isWoken = true;
    if (isDraining || isClosed) return;
    isDraining = true;
    const run = async () => {
      try {
        while (isWoken && !isClosed) {
          isWoken = false;
          await drain();
        }
      } finally {
        isDraining = false;
      }
    };
    void track(run());
  };

  const hasOpenRows = async () => {
    const { rows } = await database.execute(sql`
      select 1 from service.transactions
      where chain_id = ${chainId} and state in ('accepted', 'signed', 'broadcast') limit 1`);
    return rows.length > 0;
  };

  const attendAll = async () => {
    if (held.size === 0 || !(await hasOpenRows())) return;
    const market = await readMarket();
    for (const attended of held.values()) await attendWallet(options, { attended, market });
    wake();
  };

  const checkBalances = async () => {
    for (const { wallet } of held.values()) await checkBalance(options, wallet);
  };

  const timers = [
    every(leaseRenewalMs, () => track(renewAll())),
    every(attendanceMs, () => track(attendAll())),
    every(balanceMs, () => track(checkBalances())),
  ];

  return {
    wake,
    async close() {
      isClosed = true;
      for (const stop of timers) stop();
      await Promise.all(running);
      for (const { wallet } of held.values()) {
        await releaseLease(database, { chainId, address: wallet.address, owner }).catch(() => {});
      }
    },
  };
}

/** Does the work now and then again, always that long after its end. */
function every(pauseMs: number, work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const turn = async () => {
    await work();
    if (!isStopped) timer = setTimeout(turn, pauseMs);
  };
  void turn();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
