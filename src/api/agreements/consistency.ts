import type pg from 'pg';
import { z } from 'zod';
import type { RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { parseJson } from '../../platform/errors/parseJson.ts';
import { type MalformedError, malformed } from '../../platform/errors/serviceError.ts';
import type { InputRow } from './inputJson.ts';

/**
 * What a read must show: a chain up to a block, if the block is known, and the outcome of a record or of one
 * of its inputs.
 */
export type ConsistencyPoint = {
  readonly chainId: number;
  readonly blockNumber: number | null;
  readonly recordId: string | null;
  readonly inputId: string | null;
};

const maxPoints = 20;
const pointShape = z.tuple([
  z.int().positive(),
  z.int().nonnegative().nullable(),
  z
    .string()
    .regex(/^agr_[0-9a-z]{1,64}$/)
    .nullable(),
  z
    .string()
    .regex(/^inp_[0-9a-z]{1,64}$/)
    .nullable(),
]);
const tokenShape = z.array(pointShape).max(maxPoints);

/** A token in the form that callers store, opaque to them; without points no read waits for it. */
export function writeConsistency(points: readonly ConsistencyPoint[]): string {
  const tuples = points.map(({ chainId, blockNumber, recordId, inputId }) => [
    chainId,
    blockNumber,
    recordId,
    inputId,
  ]);
  return Buffer.from(JSON.stringify(tuples)).toString('base64url');
}

/**
 * The content of a token, or of several tokens separated by commas; equal points once.
 *
 * @throws MalformedError for anything that `writeConsistency` does not make.
 */
export function parseConsistency(text: string): ConsistencyPoint[] {
  const points = text.split(',').flatMap((token) => {
    const parsed = tokenShape.safeParse(parseJson(Buffer.from(token, 'base64url').toString()));
    if (!parsed.success) throw refuseConsistency();
    return parsed.data;
  });
  if (points.length > maxPoints) throw refuseConsistency();
  const distinct = new Map(points.map((point) => [point.join(' '), point]));
  return [...distinct.values()].map(([chainId, blockNumber, recordId, inputId]) => ({
    chainId,
    blockNumber,
    recordId,
    inputId,
  }));
}

export function refuseConsistency(): MalformedError {
  return malformed('query', [{ path: 'consistency', message: 'is not a valid consistency token' }]);
}

/** The token for a write to a record, which must exist. */
export async function readRecordConsistency(pool: pg.Pool, recordId: string): Promise<string> {
  const text = 'select chain_id, state_block_number as block_number from service.records where id = $1';
  const [row] = await runPrepared<PointRow>(pool, text, [recordId]);
  if (!row) throw new Error(`the record ${recordId} is gone`);
  return writeConsistency([{ ...pointOf(row), recordId, inputId: null }]);
}

/** The token for a submitted input. */
export function inputConsistency({ id: inputId, record_id: recordId, ...row }: InputRow): string {
  return writeConsistency([{ ...pointOf(row), recordId, inputId }]);
}

type PointRow = RowOf<typeof records, 'chain_id'> &
  RowAs<typeof records, { block_number: 'state_block_number' }>;

function pointOf({
  chain_id: chainId,
  block_number: blockNumber,
}: PointRow | Pick<InputRow, keyof PointRow>) {
  return { chainId, blockNumber: blockNumber === null ? null : Number(blockNumber) };
}
