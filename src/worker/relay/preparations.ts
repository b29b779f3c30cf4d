import type pg from 'pg';
import type { Logger } from 'pino';
import { type Address, type PublicClient, size } from 'viem';
import type { RelaySettings } from '../../platform/config/relaySettings.ts';
import type { RowAs, RowOf } from '../../platform/database/rowOf.ts';
import type { transactionAttempts } from '../../platform/database/tables/transactions.ts';
import { computeDataFee } from '../../platform/nodes/dataFee.ts';
import type { Call } from '../../platform/nodes/simulateCall.ts';
import { estimateGas } from '../../platform/nodes/simulateCall.ts';
import { findCallFault } from '../../platform/nodes/unavailable.ts';
import type { CountedAdmission } from '../../platform/operations/metrics.ts';
import { continueTrace } from '../../platform/tracing/tracing.ts';
import { createCounts } from '../../platform/turns/counts.ts';
import type { Terms } from './assignRows.ts';
import { type AttemptKey, findFate } from './attemptFate.ts';
import type { ChainView } from './chainView.ts';
import { readoptRow } from './endRow.ts';
import { suggestFees } from './fees.ts';
import type { GasLessons } from './gasLessons.ts';
import type { IndexHead } from './indexHead.ts';
import { judgeRow } from './judgeRow.ts';
import { createLineaEstimator, type LineaTerms } from './lineaTerms.ts';
import { failOrphan, isOrphaned } from './orphans.ts';
import { readPermitTurn } from './permitTurn.ts';
import type { AcceptedRow } from './readClaimable.ts';
import { readPredecessor } from './readPredecessor.ts';
import { refuseUnsent } from './refuseUnsent.ts';

export type PreparationOptions = {
  pool: pg.Pool;
  chainId: number;
  client: PublicClient;
  endpoints: readonly PublicClient[];
  settings: RelaySettings;
  confirmations: number;
  lessons: GasLessons;
  /** An admitted input would revert, and is not sent. */
  onReverted?: ((admission: CountedAdmission) => void) | undefined;
  /** Called when a row becomes claimable. */
  onReady(): void;
  logger: Logger;
};

/** Collects, outside any database transaction, the data needed to sign a row. */
export type Preparations = {
  /** The terms for signing the row, if all of them are known. */
  findTerms(row: AcceptedRow, view: ChainView): Terms | undefined;
  /**
   * Collects the missing data. A contract decides how long a node takes for its call, so no principal's rows take more
   * places than they leave to others; without a place, a row is not claimed until one is free. Returns whether it has one.
   */
  prepare(row: AcceptedRow, context: { view: ChainView; wallet: Address }): boolean;
  postpone(id: string): void;
  /** Whether so many rows are being prepared that others can wait. */
  isBusy(): boolean;
  /** Rows not to claim now: those being prepared or without a place for it, and those skipped for longer. */
  listRunning(): string[];
  listPostponed(): string[];
  forget(ids: readonly string[]): void;
  idle(): Promise<void>;
};

type Known = {
  /** The attempt up to which nothing signed for the row can be mined any more. */
  clearedThrough?: string | undefined;
  /** A signed form was mined and reverted: a node checks the row before another one is paid for. */
  hasReverted?: boolean;
  gas?: bigint | undefined;
  /** The folded block at which the contract first refused it, without an open predecessor. */
  refusedAt?: IndexHead | undefined;
  /** The number of the folded block at which the permit before it was first known to be lost. */
  orphanedAt?: bigint | undefined;
  linea?: { terms: LineaTerms | undefined; until: number };
};

/**
 * The most gas of inputs without other calls; a row that needs more runs out of gas, and is estimated and
 * sent again.
 */
const inputGas = 300_000n;
const gasPerByte = 60n;
/** Many chains refuse a transaction with more (EIP-7825). A margin must not be the reason. */
const mostGas = 2n ** 24n;
/** For how many polls a row is left alone that cannot be signed yet. */
const postponedPolls = 5;
const quoteMs = 15_000;
/** The places for rows being prepared. */
const rowsAtOnce = 64;
const mostKnown = 5_000;

export function createPreparations(options: PreparationOptions): Preparations {
  const { pool, client, endpoints, settings, chainId, logger } = options;
  const linea = createLineaEstimator(client, chainId);
  const known = new Map<string, Known>();
  const postponed = new Map<string, number>();
  const running = new Map<string, Promise<void>>();
  const ofPrincipals = createCounts();
  const placeless = new Set<string>();

  const withMargin = (gas: bigint) => {
    const wanted = (gas * BigInt(100 + settings.gasMarginPercent)) / 100n;
    return gas <= mostGas && wanted > mostGas ? mostGas : wanted;
  };
  const findQuote = (id: string) => {
    const quote = known.get(id)?.linea;
    return quote && quote.until > performance.now() ? quote : undefined;
  };

  const findOut = async (row: AcceptedRow, { view, wallet }: { view: ChainView; wallet: Address }) => {
    // Rows signed by another process are never removed one by one.
    if (known.size > mostKnown) known.clear();
    const facts = known.get(row.id) ?? {};
    known.set(row.id, facts);
    const call = { from: wallet, to: row.contract, data: row.callData };
    if (row.lastAttemptId !== undefined && facts.clearedThrough !== row.lastAttemptId) {
      if (!(await clear(row, facts, { view, call }))) return postpone(row.id);
      facts.clearedThrough = row.lastAttemptId;
    }
    if (linea.isOffered() && !findQuote(row.id))
      facts.linea = { terms: await linea.estimate(call), until: performance.now() + quoteMs };
    if (facts.gas === undefined && (row.gasEstimate === undefined || facts.hasReverted))
      facts.gas = findQuote(row.id)?.terms?.gas ?? (await estimateOrBound(row, facts, call));
  };
  const estimateOrBound = async (
    row: AcceptedRow,
    facts: Known,
    call: Call & { from: Address },
  ): Promise<bigint | undefined> => {
    try {
      const gas = await estimateGas(client, call);
      await options.lessons.note(row, gas);
      return gas;
    } catch (error) {
      if (!findCallFault(error)) throw error;
      const { predecessor, head } = await readPredecessor(pool, row.id);
      // Before its predecessors are mined, it only reverts.
      if (predecessor !== undefined) return inputGas + gasPerByte * BigInt(size(row.callData));
      if (!head) {
        postpone(row.id);
        return undefined;
      }
      const { isFailed, refusedAt } = await refuseUnsent(options, {
        row,
        call,
        head,
        refusedAt: facts.refusedAt,
      });
      facts.refusedAt = refusedAt;
      if (!isFailed) {
        await failIfOrphaned(row, facts, { call, head });
        postpone(row.id);
      }
      return undefined;
    }
  };
  const clear = async (
    row: AcceptedRow,
    facts: Known,
    { view, call }: { view: ChainView; call: Call },
  ): Promise<boolean> => {
    const { id } = row;
    const attempts = await readAttempts(pool, id);
    const fate = await findFate(endpoints, { attempts, depthBlock: view.blockNumber });
    facts.hasReverted = fate.kind === 'reverted';
    if (fate.kind === 'possible') await readoptRow(pool, { id, attempt: fate.attempt });
    if (fate.kind === 'possible' || fate.kind === 'unknown') return false;
    // A row whose transaction reverted may have come too early; now its turn must come first.
    const turn = await readPermitTurn(client, row);
    if (turn === 'used') return false;
    if (turn === 'later' && row.after.length === 0) {
      const { predecessor, head } = await readPredecessor(pool, id);
      if (!predecessor) {
        if (head) await failIfOrphaned(row, facts, { call, head });
        return false;
      }
    }
    return fate.kind !== 'succeeded' || turn !== 'unknown';
  };
  /** Fails a row whose turn cannot come, once that is known for as many blocks as an effect has confirmations. */
  const failIfOrphaned = async (
    row: AcceptedRow,
    facts: Known,
    { call, head }: { call: Call; head: IndexHead },
  ) => {
    const judgement = await judgeRow(client, { place: row, call, head });
    if (!judgement) return;
    if (judgement.turn !== 'later' || !(await isOrphaned(pool, row.id))) {
      facts.orphanedAt = undefined;
      return;
    }
    facts.orphanedAt ??= head.number;
    const { chainId, confirmations } = options;
    const blockNumber = facts.orphanedAt + BigInt(confirmations);
    if (await failOrphan(pool, { chainId, id: row.id, blockNumber })) facts.orphanedAt = undefined;
  };
  const postpone = (id: string) => {
    postponed.set(id, performance.now() + postponedPolls * settings.pollMs);
  };

  return {
    findTerms(row, view) {
      const facts = known.get(row.id);
      if (row.lastAttemptId !== undefined && facts?.clearedThrough !== row.lastAttemptId) return undefined;
      if (facts?.hasReverted && facts.gas === undefined) return undefined;
      const quote = findQuote(row.id);
      if (linea.isOffered() && !quote) return undefined;
      const gas = largest([row.gasEstimate, facts?.gas, quote?.terms?.gas]);
      const fees = suggestFees(quote?.terms ?? view, settings.maxFeePerGas);
      if (gas === undefined || !fees) return undefined;
      const moreGas = row.gasEstimate === undefined ? withMargin(gas) : gas - row.gasEstimate;
      const dataFee = computeDataFee(view.dataFee, size(row.callData));
      return { gas: withMargin(gas), moreGas, fees, dataFee };
    },
    prepare(row, context) {
      if (running.has(row.id)) return true;
      const { id, traceParent } = row;
      const owner = row.principalId ?? '';
      if (ofPrincipals.of(owner) >= rowsAtOnce - running.size) {
        placeless.add(id);
        return false;
      }
      const attributes = { 'agreements.chain.id': chainId, 'agreements.transaction.id': id };
      const plan = { name: 'prepare transaction', traceParent, attributes };
      const run = continueTrace(plan, () => findOut(row, context))
        .catch((error) => {
          logger.warn({ err: error, transaction: row.id }, 'failed to prepare a transaction; retrying');
          postpone(row.id);
        })
        .finally(() => {
          running.delete(row.id);
          ofPrincipals.add(owner, -1);
          placeless.clear();
          options.onReady();
        });
      running.set(row.id, run);
      ofPrincipals.add(owner, 1);
      return true;
    },
    postpone,
    isBusy: () => running.size >= rowsAtOnce,
    listRunning: () => [...running.keys(), ...placeless],
    listPostponed() {
      const now = performance.now();
      for (const [id, until] of postponed) if (until <= now) postponed.delete(id);
      return [...postponed.keys()];
    },
    forget(ids) {
      for (const id of ids) known.delete(id);
    },
    async idle() {
      await Promise.all(running.values());
    },
  };
}

function largest(values: readonly (bigint | undefined)[]): bigint | undefined {
  return values.reduce(
    (most, value) => (most === undefined || (value ?? 0n) > most ? value : most),
    undefined,
  );
}

type AttemptRow = RowOf<typeof transactionAttempts, 'id' | 'wallet'> &
  RowAs<typeof transactionAttempts, { nonce: 'wallet_nonce'; hash: 'tx_hash' }>;

async function readAttempts(pool: pg.Pool, id: string): Promise<AttemptKey[]> {
  const { rows } = await pool.query<AttemptRow>(
    `select id, wallet, wallet_nonce as nonce, tx_hash as hash from service.transaction_attempts
     where transaction_id = $1 order by id`,
    [id],
  );
  return rows.map((row) => ({ ...row, nonce: Number(row.nonce) }));
}
