import type pg from 'pg';
import { inGroups } from '../../platform/database/inGroups.ts';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import type { projections } from '../../platform/database/tables/projections.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { ChainUnavailableError } from '../../platform/errors/serviceError.ts';
import type { WaitingOwner } from '../../records/agreements/changeWatcher.ts';
import type { Services } from '../../records/agreements/services.ts';
import { type ConsistencyPoint, parseConsistency, refuseConsistency } from './consistency.ts';

const retryAfterSeconds = 2;

/**
 * Waits until reads show the writes in a principal's tokens. It does not wait for the later effects of those
 * writes: an input counts as shown once it is mined or failed, and its record says so.
 *
 * @throws MalformedError for an invalid token, or one of another principal.
 * @throws ChainUnavailableError if the time is up first.
 */
export async function awaitConsistency(
  { consistency, principalId }: { consistency: string; principalId: string },
  services: Services,
): Promise<void> {
  const points = parseConsistency(consistency);
  const followed = new Set(services.chains.map(({ chainId }) => chainId));
  if (points.some(({ chainId }) => !followed.has(chainId))) throw refuseConsistency();
  const timeoutMs = services.limits.consistencyWaitMs;
  const reached = await Promise.all(
    points.map((point) => awaitPoint({ point, principalId, timeoutMs }, services)),
  );
  if (reached.every(Boolean)) return;
  throw new ChainUnavailableError('The index has not reached the block of the consistency token yet.', {
    retryAfterSeconds,
  });
}

/**
 * Waits until a point is reached, and returns whether it is.
 *
 * @param wait.owner limits how many wait at a time; one too many does not wait.
 * @throws MalformedError for a record or input that is not the principal's.
 */
export async function awaitPoint(
  wait: { point: ConsistencyPoint; principalId: string; timeoutMs: number; owner?: WaitingOwner },
  { pool, changes }: Pick<Services, 'pool' | 'changes'>,
): Promise<boolean> {
  const { point, principalId, timeoutMs, owner } = wait;
  const { chainId, recordId } = point;
  return changes.waitFor({
    ids: [String(chainId), ...(recordId === null ? [] : [recordId])],
    read: () => isReached(pool, point, principalId),
    isSettled: (reached) => reached,
    timeoutMs,
    ...(owner && { owner }),
  });
}

type Row = { ordinal: number } & OrNull<
  RowOf<typeof projections, 'head_number'> &
    RowOf<typeof records, 'status' | 'behind'> &
    RowAs<typeof records, { record_id: 'id' }> &
    RowAs<typeof inputs, { input_status: 'status' }> & { is_failed: boolean }
>;

/** Each row is looked up by its key, whatever the planner thinks of the number of points. */
const query = `
  select asked.ordinal, p.head_number, r.id as record_id, r.status, r.is_failed, r.behind, i.input_status
  from json_to_recordset($1::json) as asked(ordinal int, chain_id int, record_id text, input_id text, principal_id text)
  left join lateral (
    select head_number from service.projections where chain_id = asked.chain_id limit 1) as p on true
  left join lateral (
    select id, status, error is not null as is_failed, behind from service.records
    where id = asked.record_id and principal_id = asked.principal_id and chain_id = asked.chain_id limit 1) as r on true
  left join lateral (
    select status as input_status from service.inputs where id = asked.input_id and record_id = r.id limit 1) as i on true`;

type Asked = { readonly point: ConsistencyPoint; readonly principalId: string };

/** Points of one principal are read in one statement, so that many waiting reads do not use up the pool. */
const readPoint = inGroups<Asked, Row | undefined>(
  async (pool, asked) => {
    const points = asked.map(({ point, principalId }, ordinal) => ({
      ordinal,
      chain_id: point.chainId,
      record_id: point.recordId,
      input_id: point.inputId,
      principal_id: principalId,
    }));
    const rows = await runPrepared<Row>(pool, query, [JSON.stringify(points)]);
    const found = new Map(rows.map((row) => [row.ordinal, row]));
    return points.map(({ ordinal }) => found.get(ordinal));
  },
  ({ principalId }) => principalId,
);

async function isReached(pool: pg.Pool, point: ConsistencyPoint, principalId: string): Promise<boolean> {
  const { blockNumber, recordId, inputId } = point;
  const row = await readPoint(pool, { point, principalId });
  if (!row) throw new Error('the query returned no row');
  const isMissing = recordId === null ? inputId !== null : row.record_id === null;
  if (isMissing || (inputId !== null && row.input_status === null)) throw refuseConsistency();
  if (blockNumber !== null && BigInt(row.head_number ?? -1) < BigInt(blockNumber)) return false;
  if (inputId !== null) return row.input_status !== 'PENDING';
  return recordId === null || (row.behind === false && (row.status === 'Deployed' || row.is_failed === true));
}
