import { asc } from 'drizzle-orm';
import type { Database } from '../../../../src/platform/database/database.ts';
import { inputs } from '../../../../src/platform/database/tables/inputs.ts';
import { records } from '../../../../src/platform/database/tables/records.ts';
import { transactions } from '../../../../src/platform/database/tables/transactions.ts';

/** Everything that the projector writes. */
export async function dump(database: Database) {
  return {
    records: await database.select().from(records).orderBy(asc(records.id)),
    inputs: await database.select().from(inputs).orderBy(asc(inputs.id)),
    transactions: await database.select().from(transactions).orderBy(asc(transactions.id)),
  };
}
export type Dump = Awaited<ReturnType<typeof dump>>;

export type InputSummary = {
  recordId: string;
  ownId: string | null;
  status: 'PENDING' | 'MINED' | 'FAILED';
  hasError: boolean;
  name: string;
  values: Record<string, unknown>;
  position: number | null;
  from: string | null;
  to: string | null;
  sequence: number | null;
  block: number | null;
  txHash: string | null;
};

type TransactionSummary = { id: string; state: string; txHash?: string | null; block?: number };
export type RecordSummary = {
  id: string;
  status: 'Draft' | 'Deployed';
  address: string | null;
  hasError: boolean;
  state: string | null;
  stateHash: string | null;
  stateBlock: number | null;
  stateTimestamp: number | null;
  deployedIn: number | null;
  variables: Record<string, unknown>;
  inputCount: number;
  transitionCount: number;
  lastInputId: string | null;
  behind: boolean;
};
export type Summary = {
  transactions: TransactionSummary[];
  records: RecordSummary[];
  inputs: InputSummary[];
};

/** The part of a dump that is determined by the chain. */
export function summarize(all: Dump): Summary {
  return {
    transactions: all.transactions.map(({ id, state, txHash, minedBlockNumber }) => ({
      id,
      ...(['mined', 'final'].includes(state)
        ? { state: 'mined', txHash, block: Number(minedBlockNumber) }
        : { state: state === 'failed' ? 'failed' : 'open' }),
    })),
    records: all.records.map((record) => ({
      id: record.id,
      status: record.status,
      address: record.address,
      hasError: record.error !== null,
      state: record.state,
      stateHash: record.stateHash,
      stateBlock: numberOf(record.stateBlockNumber),
      stateTimestamp: record.stateUpdatedAt && record.stateUpdatedAt.getTime() / 1_000,
      deployedIn: numberOf(record.deployBlockNumber),
      variables: record.variables,
      inputCount: record.inputCount,
      transitionCount: record.transitionCount,
      lastInputId: record.lastInputId,
      behind: record.behind,
    })),
    inputs: all.inputs
      .map((input) => ({
        recordId: input.recordId,
        ownId: input.transactionId === null ? null : input.id,
        status: input.status,
        hasError: input.error !== null,
        name: input.inputId,
        values: input.values,
        position: input.position,
        from: input.fromState,
        to: input.toState,
        sequence: input.sequence,
        block: numberOf(input.blockNumber),
        txHash: input.status === 'MINED' ? input.txHash : null,
      }))
      .sort(byPlace),
  };
}

function numberOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

export function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

export function byPlace(a: InputSummary, b: InputSummary): number {
  const place = ({ recordId, position, ownId }: InputSummary) =>
    `${recordId} ${String(position ?? 9_999).padStart(5, '0')} ${ownId}`;
  return place(a) < place(b) ? -1 : 1;
}
