import type pg from 'pg';
import type { Logger } from 'pino';
import type { Address, Hex, PrivateKeyAccount, PublicClient } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { RelaySettings } from '../config/relaySettings.ts';
import { createAnswerLog, type NotedAnswer } from './answerLog.ts';
import { attend } from './attend.ts';
import { type ChainContext, heldSeats, type Seat } from './chainContext.ts';
import { createLeaseKeeper } from './leaseKeeper.ts';
import { createPreparations } from './preparations.ts';
import { pump } from './pump.ts';
import { createRepeater } from './repeater.ts';
import { createSender } from './sender.ts';
import { createSettlements } from './settleRows.ts';
import { createWallet, observeWallet, type Wallet } from './wallet.ts';
import { releaseLeases } from './walletRows.ts';

export type ChainRelayOptions = {
  pool: pg.Pool;
  chainId: number;
  confirmations: number;
  keys: readonly Hex[];
  /** Names this process among those that take leases. */
  owner: string;
  settings: RelaySettings;
  client: PublicClient;
  endpoints: readonly PublicClient[];
  logger: Logger;
};

export type ChainRelay = {
  /** Something may be there to be signed. */
  wake(): void;
  /** Lets what is on its way end, and the wallets go. */
  close(): Promise<void>;
};

/** Between two looks while nothing is under way, in polls; and how long it counts as such after the last sign of life. */
const idlePolls = 10;
const livelyMs = 15_000;
const flushMs = 200;
const fallbackMs = 3_000;
const firstRecountMs = 25;

/** Sends what the outbox holds for one chain, with those of its wallets that this process gets the lease of. */
export function createChainRelay(options: ChainRelayOptions): ChainRelay {
  const { pool, chainId, settings, client, endpoints, owner } = options;
  const logger = options.logger.child({ chainId });
  const accounts = options.keys.map((key) => privateKeyToAccount(key));
  const answers = createAnswerLog(pool, chainId);
  const holder = { chainId, owner, leaseMs: settings.leaseMs };
  const seats = new Map<Address, Seat>();
  const context: ChainContext = {
    pool,
    chainId,
    holder,
    settings,
    client,
    endpoints,
    answers,
    logger,
    seats,
    view: undefined,
  };
  let livelyUntil = 0;
  let isUnderWay = false;
  let isFull = false;
  let recountMs = firstRecountMs;
  let flushTimer: NodeJS.Timeout | undefined;

  const recount = async (wallet: Wallet) => {
    const minedCount = await client.getTransactionCount({ address: wallet.address, blockTag: 'latest' });
    if (minedCount <= wallet.view.minedCount) return;
    observeWallet(wallet, { ...wallet.view, minedCount });
    recountMs = firstRecountMs;
    if (isFull) pumping.wake();
  };
  const onAnswers = (wallet: Wallet, noted: readonly NotedAnswer[]) => {
    answers.note(noted);
    flushTimer ??= setTimeout(() => {
      flushTimer = undefined;
      flushing.wake();
    }, flushMs);
    const objections = noted.filter(({ answer }) => answer !== 'accepted');
    const [first] = objections;
    if (first)
      logger.warn(
        { wallet: wallet.address, ...first, count: objections.length },
        'a node objects to a transaction',
      );
    if (objections.some(({ answer }) => answer === 'insufficientFunds'))
      wallet.restsUntil = performance.now() + settings.pollMs * idlePolls;
    if (objections.length > 0) attending.wake();
  };
  const createSeat = (address: Address, account: PrivateKeyAccount | undefined): Seat => {
    const wallet = createWallet(address, account);
    const sender = createSender({
      client,
      endpoints,
      count: () => recount(wallet),
      onAnswers: (noted) => onAnswers(wallet, noted),
    });
    return { wallet, sender };
  };
  for (const account of accounts) seats.set(account.address, createSeat(account.address, account));

  const preparations = createPreparations({
    pool,
    chainId,
    client,
    endpoints,
    settings,
    logger,
    onReady: () => pumping.wake(),
  });
  const settlements = createSettlements({
    pool,
    chainId,
    client,
    endpoints,
    logger,
    confirmations: options.confirmations,
    pollMs: settings.pollMs,
  });
  const renewLeases = createLeaseKeeper(context, { accounts, createSeat });

  const leasing = createRepeater({
    what: 'keeping the leases',
    async work() {
      if (await renewLeases()) attending.wake();
    },
    pauseMs: () => (context.view ? settings.leaseMs / 3 : undefined),
    logger,
  });
  const attending = createRepeater({
    what: 'looking after the wallets',
    async work() {
      const isFirst = context.view === undefined;
      isUnderWay = await attend(context, settlements);
      if (isFirst) leasing.wake();
      pumping.wake();
    },
    pauseMs: () => {
      const isLively = isUnderWay || performance.now() < livelyUntil;
      return isLively ? settings.pollMs : settings.pollMs * idlePolls;
    },
    logger,
  });
  const pumping = createRepeater({
    what: 'signing',
    async work() {
      const outcome = await pump(context, preparations);
      isFull = outcome === 'full';
      if (isFull) recounting.wake();
      if (outcome === 'blind') attending.wake();
    },
    pauseMs: () => fallbackMs,
    logger,
  });
  const recounting = createRepeater({
    what: 'counting what is mined',
    async work() {
      await Promise.all(heldSeats(context).map(({ wallet }) => recount(wallet)));
      recountMs = Math.min(recountMs * 2, settings.pollMs);
    },
    pauseMs: () => (isFull ? recountMs : undefined),
    logger,
  });
  const flushing = createRepeater({
    what: 'noting what nodes said',
    work: () => answers.flush(),
    pauseMs: () => undefined,
    logger,
  });
  attending.wake();

  return {
    wake() {
      livelyUntil = performance.now() + livelyMs;
      pumping.wake();
    },
    async close() {
      await Promise.all([pumping.close(), attending.close(), recounting.close(), leasing.close()]);
      await Promise.all([preparations.idle(), ...[...seats.values()].map(({ sender }) => sender.close())]);
      clearTimeout(flushTimer);
      await flushing.close();
      await answers.flush().catch(() => {});
      await releaseLeases(pool, [...seats.keys()], holder).catch((error) =>
        logger.warn({ err: error }, 'the leases end by themselves'),
      );
    },
  };
}
