import type pg from 'pg';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import type { projections } from '../../platform/database/tables/projections.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { ChainUnavailableError } from '../../platform/errors/serviceError.ts';
import type { Services } from '../../records/agreements/services.ts';
import { type ConsistencyPoint, parseConsistency, refuseConsistency } from './consistency.ts';

const retryAfterSeconds = 2;

/**
 * Waits until reads show the writes in a principal's tokens. It does not wait for the later effects of those
 * writes: an input counts as shown once it is mined or failed, and its record says so.
 *
 * @throws MalformedError for what is no token, or none of this principal's.
 * @throws ChainUnavailableError if the time is up before.
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
 * @throws MalformedError for a record or input that is not the principal's.
 */
export async function awaitPoint(
  wait: { point: ConsistencyPoint; principalId: string; timeoutMs: number },
  { pool, changes }: Pick<Services, 'pool' | 'changes'>,
): Promise<boolean> {
  const { point, principalId, timeoutMs } = wait;
  const { chainId, recordId } = point;
  return changes.waitFor({
    ids: [String(chainId), ...(recordId === null ? [] : [recordId])],
    read: () => isReached(pool, point, principalId),
    isSettled: (reached) => reached,
    timeoutMs,
  });
}

type Row = OrNull<
  RowOf<typeof projections, 'head_number'> &
    RowOf<typeof records, 'status' | 'behind'> &
    RowAs<typeof records, { record_id: 'id' }> &
    RowAs<typeof inputs, { input_status: 'status' }> & { is_failed: boolean }
>;

const query = `
  select p.head_number, r.id as record_id, r.status, r.error is not null as is_failed, r.behind, i.status as input_status
  from (values (1)) as one
  left join service.projections p on p.chain_id = $1
  left join service.records r on r.id = $2 and r.principal_id = $3 and r.chain_id = $1
  left join service.inputs i on i.id = $4 and i.record_id = r.id`;

async function isReached(pool: pg.Pool, point: ConsistencyPoint, principalId: string): Promise<boolean> {
  const { chainId, blockNumber, recordId, inputId } = point;
  const [row] = await runPrepared<Row>(pool, query, [chainId, recordId, principalId, inputId]);
  if (!row) throw new Error('the query returned no row');
  const isMissing = recordId === null ? inputId !== null : row.record_id === null;
  if (isMissing || (inputId !== null && row.input_status === null)) throw refuseConsistency();
  if (blockNumber !== null && BigInt(row.head_number ?? -1) < BigInt(blockNumber)) return false;
  if (inputId !== null) return row.input_status !== 'PENDING';
  return recordId === null || (row.behind === false && (row.status === 'Deployed' || row.is_failed === true));
}
