import type { Address } from 'viem';
import type { Signer } from '../../platform/signers/signer.ts';
import type { Fees } from './fees.ts';
import type { AcceptedRow } from './readClaimable.ts';

export type Terms = {
  readonly gas: bigint;
  /** What the usage of the row's principal does not count yet; undefined for nothing. */
  readonly moreGas?: bigint;
  readonly fees: Fees;
  /** The fee in addition to gas, in wei; undefined if the chain charges none. */
  readonly dataFee?: bigint;
};

export type SigningWallet = {
  readonly address: Address;
  readonly signer: Signer;
  /** In wei; the total that its transactions may cost. */
  readonly funds: bigint;
  /** How many more transactions it may have under way. */
  readonly room: number;
  /** Its load: the least busy wallet takes rows that any wallet may sign. */
  readonly load: number;
  /** Rows that cost more than it has left. */
  readonly unpayable: ReadonlySet<string>;
};

export type AssignedRow = {
  readonly row: AcceptedRow;
  readonly terms: Terms;
  readonly wallet: Address;
};

export type Assignment = {
  assigned: AssignedRow[];
  /** Rows whose terms are not fully known yet. */
  unprepared: AcceptedRow[];
  /** Rows that cost more than their wallets have left, and the wallets that need not check them again. */
  unpayable: { row: AcceptedRow; wallets: readonly Address[] }[];
};

/** The highest cost of a transaction, in wei. */
export function highestCost({ gas, fees, dataFee = 0n }: Terms): bigint {
  return gas * fees.maxFeePerGas + dataFee;
}

/**
 * Assigns rows to wallets, in the order of the rows. Rows of one order go to one wallet. A row that cannot be
 * signed delays only rows that must follow it.
 *
 * @param rows in the order of acceptance.
 * @param findTerms undefined for a row that cannot be signed yet.
 */
export function assignRows(
  rows: readonly AcceptedRow[],
  {
    wallets,
    findTerms,
  }: { wallets: readonly SigningWallet[]; findTerms(row: AcceptedRow): Terms | undefined },
): Assignment {
  const assignment: Assignment = { assigned: [], unprepared: [], unpayable: [] };
  const seats = wallets.map((wallet) => ({ ...wallet, taken: 0, left: wallet.funds }));
  const takers = new Map<string, Address>();
  const signed = new Set<string>();
  for (const row of rows) {
    const terms = findTerms(row);
    if (!terms) {
      assignment.unprepared.push(row);
      continue;
    }
    if (!row.after.every((id) => signed.has(id))) continue;
    const keeper = row.keeper ?? takers.get(row.key);
    const open = seats.filter(
      ({ address, room, taken }) => taken < room && (keeper === undefined || keeper === address),
    );
    if (open.length === 0) continue;
    const cost = highestCost(terms);
    const able = open.filter(({ left, unpayable }) => cost <= left && !unpayable.has(row.id));
    const [first, ...others] = able;
    if (!first) {
      const blind = keeper === undefined ? open : wallets;
      assignment.unpayable.push({ row, wallets: blind.map(({ address }) => address) });
      continue;
    }
    const seat = others.reduce(
      (best, other) => (other.load + other.taken < best.load + best.taken ? other : best),
      first,
    );
    seat.taken++;
    seat.left -= cost;
    takers.set(row.key, seat.address);
    signed.add(row.id);
    assignment.assigned.push({ row, terms, wallet: seat.address });
  }
  return assignment;
}
