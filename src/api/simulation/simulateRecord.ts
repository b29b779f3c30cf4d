import type pg from 'pg';
import type { Hex } from 'viem';
import type { Limits } from '../../platform/config/limits.ts';
import type { OrNull, RowAs, RowOf } from '../../platform/database/rowOf.ts';
import type { inputs } from '../../platform/database/tables/inputs.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { listStoringInputs, resumeAgreement } from '../../protocol/index.ts';
import { readRules } from '../../records/rules/notificationTemplate.ts';
import { readRuleCounts } from '../../records/rules/readRuleCounts.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from '../agreements/recordReference.ts';
import { limitFirings } from './limitFirings.ts';
import type { SimulatedMoment, SimulatedStep } from './simulateStep.ts';
import { indexNames, type SimulatedSteps, simulateSteps } from './simulateSteps.ts';

/** The most inputs that are read for the contract's stored values; values stored earlier are unknown. */
const inputsAtOnce = 200;
/** How far back they are looked for: anybody may send inputs that store nothing. */
const inputsLookedAt = 10_000;

type Row = RowOf<
  typeof records,
  | 'id'
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
  entered_ms: string | null;
  spans: { ruleId: string; sinceMs: number; nextNumber: number }[] | null;
};

const recordQuery = buildOwnedQuery({
  columns: `r.id, r.document, r.participants, r.observers, r.initial_variables, r.variables, r.state_hash,
    (extract(epoch from r.state_updated_at) * 1000)::bigint::text as entered_ms, r.input_count, r.transition_count,
    r.notification_template,
    (select json_agg(json_build_object('ruleId', s.rule_id, 'sinceMs', s.since_ms, 'nextNumber', s.next_number))
      from service.rule_schedules s where s.record_id = r.id and s.until_ms is null) as spans`,
});

type StoringInput = OrNull<RowAs<typeof inputs, { inputId: 'input_id'; payload: 'payload' }>>;

const storingQuery = (parameters: [names: string, count: number]) =>
  buildOwnedQuery({
    columns: 'storing.input_id as "inputId", storing.payload',
    joins: `left join lateral (select i.input_id, i.payload from service.inputs i
      where i.record_id = r.id and i.position <= $2::int and i.position > $2::int - ${inputsLookedAt}
        and i.input_id in (select json_array_elements_text($1::json))
      order by i.position desc limit ${inputsAtOnce}) storing on true`,
    parameters,
  });

export type RecordSimulation = SimulatedSteps & { readonly agreement: unknown };

/**
 * The effects of inputs on one of a principal's records, from its present state: asks no node, stores
 * nothing, sends nothing and notifies nobody.
 *
 * @throws RefusedError `not_deployed` for a Draft.
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
  const storing = await readStoringInputs(pool, { ...request, agreement, inputCount: row.input_count });
  const engine = resumeAgreement({
    agreement,
    initialValues: row.initial_variables,
    state,
    ...storing,
  });
  const start: SimulatedMoment = {
    agreement,
    limits: request.limits,
    names: indexNames(agreement),
    engine,
    parties: { participants: row.participants, observers: row.observers, variables: row.variables },
    clock: {
      rules: readRules(row.notification_template).rules,
      enteredMs: Number(enteredMs),
      spans: new Map((row.spans ?? []).map((span) => [span.ruleId, span])),
    },
    sequence: row.transition_count,
    atMs,
  };
  const played = await simulateSteps(start, steps);
  const fired = await limitFirings(
    played.steps.map((step) => step.rules),
    {
      rules: start.clock.rules,
      readCounts: (firings) => readRuleCounts(pool, { recordId: row.id, firings }),
    },
  );
  return {
    agreement,
    ...played,
    steps: played.steps.map((step, at) => ({ ...step, rules: fired[at] ?? [] })),
  };
}

async function readStoringInputs(
  pool: pg.Pool,
  {
    agreement,
    inputCount,
    ...request
  }: { reference: RecordReference; principalId: string; agreement: unknown; inputCount: number },
): Promise<{ inputs: { inputId: string; payload: Hex }[]; isWhole: boolean }> {
  const names = listStoringInputs(agreement);
  if (names.length === 0 || inputCount === 0) return { inputs: [], isWhole: true };
  const query = storingQuery([JSON.stringify(names), inputCount]);
  const rows = await queryOwned<StoringInput>(pool, { ...request, query });
  const inputs = rows.flatMap(({ inputId, payload }) =>
    inputId === null || payload === null ? [] : [{ inputId, payload }],
  );
  return { inputs, isWhole: inputs.length < inputsAtOnce && inputCount <= inputsLookedAt };
}
