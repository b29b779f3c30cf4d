import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Address, PublicClient } from 'viem';
import type { RelaySettings } from '../../platform/config/relaySettings.ts';
import { createDataFeeReader } from '../../platform/nodes/dataFee.ts';
import type { CountedAdmission } from '../../platform/operations/metrics.ts';
import type { RelaySigners } from '../../platform/signers/openSigners.ts';
import type { Signer } from '../../platform/signers/signer.ts';
import { createRepeater } from '../leases/repeater.ts';
import { createAnswerLog } from './answerLog.ts';
import { type ChainContext, heldSeats } from './chainContext.ts';
import { createClaimTurns } from './claimTurns.ts';
import { createGasLessons } from './gasLessons.ts';
import { createPreparations } from './preparations.ts';
import { reconcileWallets } from './reconcileWallets.ts';
import { createSeat, type Seat } from './seat.ts';
import { createSettlements } from './settleRows.ts';
import { signAccepted } from './signAccepted.ts';
import { createLeaseKeeper } from './walletLeaseKeeper.ts';
import { releaseLeases } from './walletRows.ts';

export type ChainRelayOptions = {
  pool: pg.Pool;
  chainId: number;
  confirmations: number;
  signers: RelaySigners;
  /** This process's id as a lease holder. */
  owner: string;
  settings: RelaySettings;
  client: PublicClient;
  endpoints: readonly PublicClient[];
  onReverted?: ((admission: CountedAdmission) => void) | undefined;
  logger: Logger;
};

export type ChainRelay = {
  /** There may be rows to sign. */
  wake(): void;
  /** There may be wallets to take. */
  takeWallets(): void;
  /** Finishes the work under way, and releases the wallets. */
  close(): Promise<void>;
};

/** The pause between two polls without work, in polls, and how long after the last activity it begins. */
const idlePolls = 10;
const livelyMs = 15_000;
/** Finds rows announced while nobody listened. */
const fallbackMs = 3_000;
const firstRecountMs = 25;
const closeMs = 5_000;

/** Sends one chain's outbox rows, with the wallets that this process leases. */
export function createChainRelay(options: ChainRelayOptions): ChainRelay {
  const { signers: opened, owner, confirmations, ...shared } = options;
  const { pool, chainId, settings } = shared;
  const logger = options.logger.child({ chainId });
  const answers = createAnswerLog({ pool, chainId, logger });
  const holder = { chainId, owner, leaseMs: settings.leaseMs };
  const seats = new Map<Address, Seat>();
  const context: ChainContext = {
    ...shared,
    holder,
    answers,
    logger,
    seats,
    turns: createClaimTurns(),
    readDataFee: createDataFeeReader(shared.client),
    remoteWork: new Set(),
    view: undefined,
  };
  let livelyUntil = 0;
  let isUnderWay = false;
  let isFull = false;
  let recountMs = firstRecountMs;

  const signers: Signer[] = [];
  let awaited = opened.awaited.length;
  const takeSeat = (address: Address, signer: Signer | undefined) => {
    const onProgress = () => {
      recountMs = firstRecountMs;
      if (isFull) signing.wake();
    };
    const onObjection = () => reconciling.wake();
    seats.set(address, createSeat(context, { address, signer, onProgress, onObjection }));
  };
  const addSigner = (signer: Signer) => {
    // Two signers with the same key are one wallet.
    if (signers.some(({ address }) => address === signer.address)) return;
    signers.push(signer);
    takeSeat(signer.address, signer);
  };
  for (const signer of opened.ready) addSigner(signer);
  const lessons = createGasLessons({ pool, client: shared.client, logger });
  const preparations = createPreparations({
    ...shared,
    lessons,
    confirmations,
    logger,
    onReady: () => signing.wake(),
  });
  const pollMs = settings.pollMs;
  const settlements = createSettlements({ ...shared, lessons, logger, confirmations, pollMs });
  const renewLeases = createLeaseKeeper(context, { signers, areAllThere: () => awaited === 0, takeSeat });

  const leasing = createRepeater({
    what: 'keeping the leases',
    async work() {
      if (await renewLeases()) reconciling.wake();
    },
    pauseMs: () => (context.view ? settings.leaseMs / 3 : undefined),
    logger,
  });
  const reconciling = createRepeater({
    what: 'looking after the wallets',
    async work() {
      const isFirst = context.view === undefined;
      isUnderWay = await reconcileWallets(context, settlements);
      learning.wake();
      if (isFirst) leasing.wake();
      signing.wake();
    },
    pauseMs: () => {
      const isLively = isUnderWay || performance.now() < livelyUntil;
      return isLively ? settings.pollMs : settings.pollMs * idlePolls;
    },
    logger,
  });
  // A contract decides how long a receipt is: the wallets do not wait for it.
  const learning = createRepeater({
    what: 'comparing estimates of gas with receipts',
    work: lessons.compare,
    pauseMs: () => undefined,
    logger,
  });
  const signing = createRepeater({
    what: 'signing',
    async work() {
      const outcome = await signAccepted(context, { preparations, wake: () => signing.wake() });
      isFull = outcome === 'full';
      if (isFull) recounting.wake();
      if (outcome === 'blind') reconciling.wake();
    },
    pauseMs: () => fallbackMs,
    restShare: 3,
    logger,
  });
  const recounting = createRepeater({
    what: 'counting what is mined',
    async work() {
      await Promise.all(heldSeats(context).map((seat) => seat.recount()));
      recountMs = Math.min(recountMs * 2, settings.pollMs);
    },
    pauseMs: () => (isFull ? recountMs : undefined),
    logger,
  });
  reconciling.wake();
  for (const opening of opened.awaited) {
    void opening.then((signer) => {
      awaited--;
      if (signer) addSigner(signer);
      reconciling.wake();
    });
  }

  const endWork = async () => {
    await Promise.all(
      [signing, reconciling, recounting, leasing, learning].map((repeater) => repeater.close()),
    );
    await Promise.all([preparations.idle(), settlements.idle(), ...context.remoteWork]);
    await Promise.all([...seats.values()].map(({ sender }) => sender.close()));
  };
  return {
    wake() {
      livelyUntil = performance.now() + livelyMs;
      signing.wake();
    },
    takeWallets() {
      // A process that has not read the chain yet takes no wallets.
      if (context.view) leasing.wake();
    },
    async close() {
      // Bytes that a node delays longer are stored, and sent again by the wallets' next holder.
      await Promise.race([endWork(), delay(closeMs, undefined, { ref: false })]);
      await answers.close();
      await releaseLeases(pool, [...seats.keys()], holder).catch((error) =>
        logger.warn({ err: error }, 'failed to release the leases; they expire'),
      );
    },
  };
}
