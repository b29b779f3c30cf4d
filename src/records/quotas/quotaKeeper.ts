import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database/database.ts';
import { inTransaction } from '../../platform/database/inTransaction.ts';
import { isDatabaseAway } from '../../platform/database/isDatabaseAway.ts';
import { isSessionRefused } from '../../platform/database/isSessionRefused.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { leavesGas } from './guestGas.ts';
import { type Quota, type QuotaState, readQuotas } from './quotas.ts';
import { addRecordUsage, addTotals, addUsage } from './usage.ts';

/** What one write adds to its principal's usage. */
export type Use = {
  openTransactions?: number;
  events?: number;
  gas?: bigint;
  answerBytes?: number;
  storedBytes?: number;
  adoptedAgreements?: number;
  /** The record whose guest has used the gas. */
  guestsOf?: string | undefined;
};

export type QuotaKeeper = {
  /**
   * Checks before a write that the principal is below all quotas that the write counts against. Usage noted
   * by this process counts at once; through other processes a principal may exceed its quotas by two seconds'
   * worth.
   *
   * @throws RefusedError `quota_exceeded` or `storage_exceeded`.
   */
  check(principalId: string, write: keyof typeof quotasOf): Promise<void>;
  /**
   * Checks before an input of a record's guest that these guests have used less gas today than is left to the record's
   * principal. Usage counts a second later.
   *
   * @throws RefusedError `quota_exceeded`.
   */
  checkGuests(record: { readonly principalId: string; readonly recordId: string }): Promise<void>;
  /** Begins to read the data for `check`, so that it need not wait. */
  prefetch(principalId: string): void;
  /** Notes what a write has used. */
  note(principalId: string, use: Use): void;
  /** Stores the noted usage. */
  close(): Promise<void>;
};

/** Older usage is refreshed in the background. */
const freshMs = 1_000;
/** Writes wait for newer data instead of going by older ones. */
const usableMs = 2_000;
/** The most principals whose usage is cached. */
const rememberedPrincipals = 10_000;
const flushMs = 1_000;

/**
 * Quotas of events and mails are left out: a sender of inputs causes these for all principals that hold the agreement,
 * and could keep them from writing.
 */
const ofTransactions: readonly Quota[] = ['openTransactions', 'gasPerDay', 'storedBytes'];
const quotasOf = {
  deploy: ofTransactions,
  input: ofTransactions,
  import: ['adoptedAgreements', 'storedBytes'],
  keptAnswer: ['answerBytesPerDay'],
  webhook: ['storedBytes'],
  evidence: ['storedBytes'],
  link: ['answerBytesPerDay'],
  delivery: ['eventsPerDay'],
} as const satisfies Record<string, readonly Quota[]>;
const isForEver: Record<Quota, boolean> = {
  openTransactions: false,
  eventsPerDay: false,
  eventBytesPerDay: false,
  mailsPerDay: false,
  gasPerDay: false,
  answerBytesPerDay: false,
  storedBytes: true,
  adoptedAgreements: true,
};

const exceededMessage = 'A quota is used up. Try again later, or ask the operator for more.';

type Noted = Use & { readonly principalId: string };

/** Sums, since each check needs them: a busy principal notes hundreds of writes between two reads. */
type Sums = Record<Quota, number>;

/** The database's usage, plus usage noted here that may not be stored yet. */
type Known = {
  states: Promise<QuotaState[]>;
  at: number;
  unread: Sums;
  /** The refresh under way. */
  next?: Known | undefined;
};

/** Enforces the principals' quotas. Usage is stored once a second, so that no write waits for a counter. */
export function createQuotaKeeper(options: {
  database: Database;
  logger: Logger;
  onRefusal?: ((quota: Quota) => void) | undefined;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}): QuotaKeeper {
  const { database, logger, onRefusal, now = () => performance.now() } = options;
  const known = new LRUCache<string, Known>({ max: rememberedPrincipals });
  let noted: Noted[] = [];
  let underWay: Noted[] = [];
  /** What is stored for the principals already, and not for their records. */
  let ofGuests: { recordId: string; guestGas: bigint }[] = [];
  let flushing: Promise<void> = Promise.resolve();

  /**
   * One counter at a time, after those of principals: whoever held one and waited for another could be ended by a deadlock
   * with a transaction that takes the counters of records in its own order.
   */
  const storeGuests = async () => {
    const waiting = [...Map.groupBy(ofGuests, ({ recordId }) => recordId)];
    ofGuests = [];
    for (const [at, [record, used]] of waiting.entries())
      try {
        await addRecordUsage(database, used);
      } catch (error) {
        const isAway = isDatabaseAway(error) || isSessionRefused(error);
        if (!isRefusal(error))
          ofGuests.push(
            ...(isAway ? waiting.slice(at) : waiting.slice(at, at + 1)).flatMap(([, kept]) => kept),
          );
        logger.warn({ err: error, record, writes: used.length }, 'failed to store the usage of guests');
        // The others would wait for it, one after the other.
        if (isAway) return;
      }
  };
  const storePrincipals = async () => {
    underWay = noted;
    noted = [];
    if (underWay.length === 0) return;
    const counted = underWay;
    try {
      await inTransaction(database, async (transaction) => {
        await addUsage(
          transaction,
          counted.filter(
            ({ events, gas, answerBytes }) =>
              events !== undefined || gas !== undefined || answerBytes !== undefined,
          ),
        );
        await addTotals(
          transaction,
          counted.filter(
            ({ storedBytes, adoptedAgreements }) =>
              storedBytes !== undefined || adoptedAgreements !== undefined,
          ),
        );
      });
      for (const { guestsOf: recordId, gas: guestGas = 0n } of counted)
        if (recordId !== undefined && guestGas > 0n) ofGuests.push({ recordId, guestGas });
    } catch (error) {
      if (!isRefusal(error)) noted = [...counted, ...noted];
      logger.warn({ err: error, writes: counted.length }, 'failed to store the usage of principals');
    }
    underWay = [];
  };
  /** Apart from the usage of principals, which must not wait for a record's counter that somebody holds. */
  let guestsUnderWay: Promise<void> | undefined;
  const beginGuests = () => {
    guestsUnderWay ??= storeGuests().finally(() => {
      guestsUnderWay = undefined;
    });
  };
  let isFlushing = false;
  const timer = setInterval(() => {
    if (isFlushing) return;
    isFlushing = true;
    flushing = storePrincipals().finally(() => {
      isFlushing = false;
      beginGuests();
    });
  }, flushMs);
  timer.unref();

  const read = (principalId: string): Known => {
    // Open transactions are rows by now. Usage that is being stored at this moment may count twice, for a
    // second.
    const unread = sumNothing();
    for (const { openTransactions: _, ...use } of [...underWay, ...noted])
      if (use.principalId === principalId) addTo(unread, use);
    return { states: readQuotas(database, principalId), at: now(), unread };
  };

  const look = (principalId: string): Known => {
    const entry = known.get(principalId);
    const ageMs = entry ? now() - entry.at : Number.POSITIVE_INFINITY;
    if (entry && ageMs < freshMs) return entry;
    if (entry && ageMs < usableMs) {
      replace(principalId, entry);
      return entry;
    }
    const latest = entry?.next ?? read(principalId);
    known.set(principalId, latest);
    latest.states.catch(() => forget(principalId, latest));
    return latest;
  };

  /** Reads newer data, which take the entry's place once they are there. */
  const replace = (principalId: string, entry: Known) => {
    if (entry.next) return;
    const next = read(principalId);
    entry.next = next;
    next.states.then(
      () => known.get(principalId) === entry && known.set(principalId, next),
      () => {
        entry.next = undefined;
      },
    );
  };

  const forget = (principalId: string, entry: Known) => {
    if (known.get(principalId) === entry) known.delete(principalId);
  };

  return {
    async check(principalId, write) {
      const counted: readonly Quota[] = quotasOf[write];
      const { states, unread } = look(principalId);
      const exceeded = (await states)
        .filter(({ quota }) => counted.includes(quota))
        .map((state) => ({ ...state, used: state.used + unread[state.quota] }))
        .find(({ used, limit }) => used >= limit);
      if (!exceeded) return;
      const { quota, used, limit } = exceeded;
      onRefusal?.(quota);
      const reason = isForEver[quota] ? 'storage_exceeded' : 'quota_exceeded';
      const message = isForEver[quota]
        ? 'The storage quota is used up. Ask the operator for more.'
        : exceededMessage;
      throw new RefusedError(reason, message, { facts: { quota, used, limit } });
    },
    async checkGuests(record) {
      if (await leavesGas(database, record)) return;
      onRefusal?.('gasPerDay');
      throw new RefusedError('quota_exceeded', exceededMessage, { facts: { quota: 'gasPerDay' } });
    },
    prefetch(principalId) {
      look(principalId);
    },
    note(principalId, use) {
      const ofPrincipal = { principalId, ...use };
      noted.push(ofPrincipal);
      const entry = known.get(principalId);
      if (entry) addTo(entry.unread, use);
      if (entry?.next) addTo(entry.next.unread, use);
    },
    async close() {
      clearInterval(timer);
      await flushing;
      await storePrincipals();
      await guestsUnderWay;
      await storeGuests();
      // One broken connection has ended the turn, not the database.
      await storeGuests();
    },
  };
}

/** Whether the database would refuse the same rows again, because of what they contain. */
function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
}

const sumNothing = (): Sums => ({
  openTransactions: 0,
  eventsPerDay: 0,
  eventBytesPerDay: 0,
  mailsPerDay: 0,
  gasPerDay: 0,
  answerBytesPerDay: 0,
  storedBytes: 0,
  adoptedAgreements: 0,
});

function addTo(sums: Sums, use: Use): void {
  sums.openTransactions += use.openTransactions ?? 0;
  sums.eventsPerDay += use.events ?? 0;
  sums.gasPerDay += Number(use.gas ?? 0n);
  sums.answerBytesPerDay += use.answerBytes ?? 0;
  sums.storedBytes += use.storedBytes ?? 0;
  sums.adoptedAgreements += use.adoptedAgreements ?? 0;
}
