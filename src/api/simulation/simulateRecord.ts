import type pg from 'pg';
import type { Hex } from 'viem';
import type { Limits } from '../../platform/config/limits.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { type Firing, newestFirings } from '../../records/rules/newestFirings.ts';
import { readRules } from '../../records/rules/notificationTemplate.ts';
import { occasionOfStay } from '../../records/rules/occasion.ts';
import { firingKey, readRuleCounts } from '../../records/rules/readRuleCounts.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from '../agreements/recordReference.ts';
import { type RecordEngine, readRecordEngine } from './readRecordEngine.ts';
import type { SimulatedMoment, SimulatedStep } from './simulateStep.ts';
import { indexNames, playWithLimits, type SimulatedSteps } from './simulateSteps.ts';

type Row = RowOf<
  typeof records,
  | 'id'
  | 'chain_id'
  | 'deploy_tx_hash'
  | 'document'
  | 'participants'
  | 'observers'
  | 'initial_variables'
  | 'variables'
  | 'state_hash'
  | 'input_count'
  | 'transition_count'
  | 'notification_template'
> & {
  contract: Hex | null;
  is_adopted: boolean;
  entered_ms: string | null;
  spans: Span[] | null;
  fired: Firing[] | null;
};
type Span = { ruleId: string; stay: string; sinceMs: number; nextNumber: number };

const recordQuery = buildOwnedQuery({
  columns: `r.id, r.chain_id, lower(r.address) as contract, r.deploy_tx_hash, r.adopted_through is not null as is_adopted,
    r.document, r.participants, r.observers, r.initial_variables, r.variables, r.state_hash,
    (extract(epoch from r.state_updated_at) * 1000)::bigint::text as entered_ms, r.input_count, r.transition_count,
    r.notification_template,
    (select json_agg(json_build_object('ruleId', s.rule_id, 'stay', s.stay, 'sinceMs', s.since_ms,
        'nextNumber', s.next_number))
      from service.rule_schedules s where s.record_id = r.id and s.until_ms is null) as spans,
    ${newestFirings} as fired`,
});

export type RecordSimulation = SimulatedSteps &
  Pick<RecordEngine, 'differsFromDocument' | 'rulesFrom'> & { readonly agreement: unknown };

/**
 * The effects of inputs on one of a principal's records, from its present state: asks no node, stores
 * nothing, sends nothing and notifies nobody.
 *
 * @throws RefusedError `not_deployed` for a Draft.
 * @throws ChainUnavailableError as `readRecordEngine` does.
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 */
export async function simulateRecord(
  pool: pg.Pool,
  request: {
    readonly reference: RecordReference;
    readonly principalId: string;
    readonly steps: readonly SimulatedStep[];
    readonly atMs: number;
    readonly limits: Limits;
  },
): Promise<RecordSimulation> {
  const { steps, atMs } = request;
  const [row] = await queryOwned<Row>(pool, { ...request, query: recordQuery });
  const { state_hash: state, entered_ms: enteredMs } = row;
  if (state === null || enteredMs === null)
    throw new RefusedError('not_deployed', 'The agreement is not deployed yet.');
  const agreement: unknown = JSON.parse(row.document);
  const { engine, differsFromDocument, rulesFrom } = await readRecordEngine(pool, {
    id: row.id,
    reference: request.reference,
    principalId: request.principalId,
    chainId: row.chain_id,
    address: row.contract,
    deployTxHash: row.deploy_tx_hash,
    isAdopted: row.is_adopted,
    agreement,
    initialVariables: row.initial_variables,
    state,
    inputCount: row.input_count,
  });
  const spans = new Map((row.spans ?? []).map((span) => [span.ruleId, span]));
  const start: SimulatedMoment = {
    agreement,
    limits: request.limits,
    names: indexNames(agreement),
    engine,
    parties: { participants: row.participants, observers: row.observers, variables: row.variables },
    clock: {
      rules: readRules(row.notification_template).rules,
      enteredMs: Number(enteredMs),
      spans,
      firedOnce: new Set(listFiredOnce(row.fired ?? [], spans).map(firingKey)),
    },
    sequence: row.transition_count,
    atMs,
  };
  const { played } = await playWithLimits(start, {
    steps,
    readCounts: (firings) => readRuleCounts(pool, { recordId: row.id, firings }),
  });
  return { agreement, differsFromDocument, rulesFrom, ...played };
}

/** The firings of rules that fire once in a stay, in the present one. */
function listFiredOnce(fired: readonly Firing[], spans: ReadonlyMap<string, Span>): Firing[] {
  return fired.filter(({ ruleId, occasion }) => {
    const stay = spans.get(ruleId)?.stay;
    return stay !== undefined && occasion === occasionOfStay(stay);
  });
}
