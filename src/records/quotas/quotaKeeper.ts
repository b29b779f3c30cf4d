import type { Logger } from 'pino';
import type { Database } from '../../platform/database/database.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { type Quota, type QuotaState, readQuotas } from './quotas.ts';
import { addTotals, addUsage } from './usage.ts';

/** What one write adds to its principal's usage. */
export type Use = {
  openTransactions?: number;
  gas?: bigint;
  answerBytes?: number;
  storedBytes?: number;
  adoptedAgreements?: number;
};

export type QuotaKeeper = {
  /**
   * Checks before a write that the principal is below all quotas that the write counts against. Usage noted
   * by this process counts at once; through other processes a principal may exceed its quotas by a second's
   * worth.
   *
   * @throws RefusedError `quota_exceeded` or `storage_exceeded`.
   */
  check(principalId: string, write: keyof typeof quotasOf): Promise<void>;
  /** Begins to read the data for `check`, so that it need not wait. */
  prefetch(principalId: string): void;
  /** After a write. */
  note(principalId: string, use: Use): void;
  /** Stores the noted usage. */
  close(): Promise<void>;
};

/** How old the knowledge of other processes may be, and for how many principals it is kept. */
const freshMs = 1_000;
const rememberedPrincipals = 10_000;
const flushMs = 1_000;

const ofTransactions: readonly Quota[] = [
  'openTransactions',
  'gasPerDay',
  'eventsPerDay',
  'mailsPerDay',
  'storedBytes',
];
const quotasOf = {
  deploy: ofTransactions,
  input: ofTransactions,
  import: ['adoptedAgreements', 'storedBytes'],
  keptAnswer: ['answerBytesPerDay'],
} as const satisfies Record<string, readonly Quota[]>;
const isForEver: Record<Quota, boolean> = {
  openTransactions: false,
  eventsPerDay: false,
  mailsPerDay: false,
  gasPerDay: false,
  answerBytesPerDay: false,
  storedBytes: true,
  adoptedAgreements: true,
};

type Noted = Use & { readonly principalId: string };

/** The database's usage, plus usage noted here that may not be stored yet. */
type Known = { states: Promise<QuotaState[]>; at: number; unread: Noted[] };

/** Enforces the principals' quotas. Usage is stored once a second, so that no write waits for a counter. */
export function createQuotaKeeper(options: {
  database: Database;
  logger: Logger;
  onRefusal?: ((quota: Quota) => void) | undefined;
}): QuotaKeeper {
  const { database, logger, onRefusal } = options;
  const known = new Map<string, Known>();
  let noted: Noted[] = [];
  let underWay: Noted[] = [];
  let flushing: Promise<void> = Promise.resolve();

  const flush = async () => {
    underWay = noted;
    noted = [];
    if (underWay.length === 0) return;
    try {
      await addUsage(
        database,
        underWay.filter(({ gas, answerBytes }) => gas !== undefined || answerBytes !== undefined),
      );
      await addTotals(
        database,
        underWay.filter(
          ({ storedBytes, adoptedAgreements }) =>
            storedBytes !== undefined || adoptedAgreements !== undefined,
        ),
      );
    } catch (error) {
      logger.warn({ err: error, writes: underWay.length }, 'failed to store the usage of principals');
    }
    underWay = [];
  };
  const timer = setInterval(() => {
    flushing = flushing.then(flush);
  }, flushMs);
  timer.unref();

  const look = (principalId: string): Known => {
    const entry = known.get(principalId);
    if (entry && performance.now() - entry.at < freshMs) return entry;
    // Open transactions are rows by now. Usage that is being stored at this moment may count twice, for a
    // second.
    const unread = [...underWay, ...noted]
      .filter((use) => use.principalId === principalId)
      .map(({ openTransactions: _, ...use }) => use);
    const looked = { states: readQuotas(database, principalId), at: performance.now(), unread };
    known.delete(principalId);
    known.set(principalId, looked);
    const [oldest] = known.keys();
    if (known.size > rememberedPrincipals && oldest !== undefined) known.delete(oldest);
    looked.states.catch(() => known.delete(principalId));
    return looked;
  };

  return {
    async check(principalId, write) {
      const counted: readonly Quota[] = quotasOf[write];
      const { states, unread } = look(principalId);
      const exceeded = (await states)
        .filter(({ quota }) => counted.includes(quota))
        .map((state) => ({ ...state, used: state.used + sumOf(unread, state.quota) }))
        .find(({ used, limit }) => used >= limit);
      if (!exceeded) return;
      const { quota, used, limit } = exceeded;
      onRefusal?.(quota);
      const reason = isForEver[quota] ? 'storage_exceeded' : 'quota_exceeded';
      const message = isForEver[quota]
        ? 'The storage quota is used up. Ask the operator for more.'
        : 'A quota is used up. Try again later, or ask the operator for more.';
      throw new RefusedError(reason, message, { facts: { quota, used, limit } });
    },
    prefetch(principalId) {
      look(principalId);
    },
    note(principalId, use) {
      const ofPrincipal = { principalId, ...use };
      noted.push(ofPrincipal);
      known.get(principalId)?.unread.push(ofPrincipal);
    },
    async close() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}

function sumOf(uses: readonly Use[], quota: Quota): number {
  return uses.reduce((sum, use) => sum + usedOf(use, quota), 0);
}

function usedOf(use: Use, quota: Quota): number {
  switch (quota) {
    case 'openTransactions':
      return use.openTransactions ?? 0;
    case 'gasPerDay':
      return Number(use.gas ?? 0n);
    case 'answerBytesPerDay':
      return use.answerBytes ?? 0;
    case 'storedBytes':
      return use.storedBytes ?? 0;
    case 'adoptedAgreements':
      return use.adoptedAgreements ?? 0;
    case 'eventsPerDay':
    case 'mailsPerDay':
      return 0;
  }
}
