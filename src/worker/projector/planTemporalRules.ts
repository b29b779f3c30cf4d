import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { Queryable } from '../../platform/database/database.ts';
import type { NotNull, RowOf } from '../../platform/database/rowOf.ts';
import { arrayOf, recordsOf } from '../../platform/database/statements.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { createPace } from '../../platform/turns/pace.ts';
import { deploymentIdentity, transitionIdentity } from '../../records/events/eventIds.ts';
import { deployInputId } from '../../records/events/transitionFact.ts';
import { isTemporal, readRules, type TemporalRule } from '../../records/rules/notificationTemplate.ts';
import { findDue } from '../../records/rules/temporalPlan.ts';
import { toMilliseconds } from '../notifier/fireTransitionRules.ts';
import { type FollowedSpans, followSpans, type RuleSpan, type Step } from '../notifier/followSpans.ts';
import { type SpanRow, spanOf } from '../notifier/spanRow.ts';
import { isFirstFold } from './announcedSince.ts';
import type { DocumentLookup } from './documentCache.ts';
import type { ExtendedRecord } from './extendHistories.ts';
import type { MinedInput } from './history.ts';
import type { FoldedRecord } from './storedHistories.ts';

export type FoldedSteps = {
  readonly chainId: number;
  /** Records that this fold made Deployed, before their first input. */
  readonly deployed: readonly FoldedRecord[];
  /** The records, each with its new inputs. */
  readonly extended: readonly ExtendedRecord[];
  readonly documents: DocumentLookup;
  /** Unix seconds: what was due before does not fire any more, unless its block is folded for the first time. */
  readonly announcedSince: bigint | undefined;
};

/**
 * Updates the schedules of rules of time after the folded blocks, in the transaction that stores the states.
 * Costs one query if no record has rules.
 */
export async function planTemporalRules(transaction: Queryable, fold: FoldedSteps): Promise<void> {
  const { chainId, deployed, extended, documents, announcedSince } = fold;
  const touched = extended.filter(({ mined }) => mined.length > 0);
  const ids = [...new Set([...deployed, ...touched].map(({ id }) => id))];
  const ruled = await readTemporalRules(transaction, ids);
  if (ruled.size === 0) return;
  const open = await readOpenSpans(transaction, [...ruled.keys()]);
  const beginnings = new Map(deployed.map((record) => [record.id, record]));
  const inputs = new Map(touched.map((record) => [record.id, record]));
  for (const [id, { rules, deployTxHash }] of ruled) {
    const beginning = beginnings.get(id);
    const record = inputs.get(id);
    const steps = [
      ...(beginning ? [deploymentStep(beginning, { chainId, deployTxHash, documents })] : []),
      ...(record?.mined ?? []).map((input) =>
        inputStep(input, { chainId, agreement: record?.history.agreement ?? '' }),
      ),
    ];
    const { ended, begun } = followSpans(rules, { open: open.get(id) ?? [], steps });
    // In a block with too many transitions, only spans that outlast the block are scheduled.
    const isKept = ({ sinceBlock, untilBlock }: Begun) => !record?.silent.size || untilBlock !== sinceBlock;
    const followed = { ended, begun: begun.filter(isKept) };
    const folded = record ?? beginning;
    const since = ({ sinceBlock }: Begun) =>
      folded && isFirstFold(folded, sinceBlock) ? undefined : announcedSince;
    await writeSpans(transaction, { chainId, recordId: id, followed, since });
  }
}

function deploymentStep(
  { id: recordId, docHash, history }: FoldedRecord,
  { chainId, deployTxHash, documents }: { chainId: number; deployTxHash: Hex; documents: DocumentLookup },
): Step {
  const toState = documents(docHash).nameState(history.stateHash);
  return {
    identity: deploymentIdentity({ chainId, recordId, transactionHash: deployTxHash }),
    transition: { fromState: '', toState, inputId: deployInputId },
    blockNumber: history.stateBlockNumber,
    ms: toMilliseconds(history.stateTimestamp),
    variables: history.variables,
  };
}

function inputStep(
  { fromState, toState, inputId, sequence, ...input }: MinedInput,
  { chainId, agreement }: { chainId: number; agreement: string },
): Step {
  const { txHash: transactionHash, transactionOrdinal: ordinal } = input;
  return {
    identity: transitionIdentity({ chainId, agreement, transactionHash, ordinal }),
    transition: sequence === null ? null : { fromState, toState, inputId },
    blockNumber: input.blockNumber,
    ms: toMilliseconds(input.blockTimestamp),
    variables: input.variables,
  };
}

type Begun = FollowedSpans['begun'][number];

type Ruled = { rules: readonly TemporalRule[]; deployTxHash: Hex };

type RuledRow = RowOf<typeof records, 'id'> &
  NotNull<RowOf<typeof records, 'notification_template' | 'deploy_tx_hash'>>;

/** The records' rules of time, for records with any. */
async function readTemporalRules(
  transaction: Queryable,
  ids: readonly string[],
): Promise<Map<string, Ruled>> {
  if (ids.length === 0) return new Map();
  const { rows } = await transaction.execute<RuledRow>(sql`
    select id, notification_template, deploy_tx_hash from service.records
    where id = any(${arrayOf(ids)}::text[]) and notification_template is not null and deploy_tx_hash is not null`);
  const pace = createPace();
  const ruled = new Map<string, Ruled>();
  for (const row of rows) {
    const rules = readRules(row.notification_template).rules.filter(isTemporal);
    if (rules.length > 0) ruled.set(row.id, { rules, deployTxHash: row.deploy_tx_hash });
    await pace.breathe();
  }
  return ruled;
}

async function readOpenSpans(
  transaction: Queryable,
  ids: readonly string[],
): Promise<Map<string, RuleSpan[]>> {
  const { rows } = await transaction.execute<SpanRow>(sql`
    select * from service.rule_schedules where record_id = any(${arrayOf(ids)}::text[]) and until_ms is null`);
  const byRecord = Map.groupBy(rows, ({ record_id }) => record_id);
  return new Map([...byRecord].map(([id, spans]) => [id, spans.map(spanOf)]));
}

async function writeSpans(
  transaction: Queryable,
  {
    chainId,
    recordId,
    followed: { ended, begun },
    since,
  }: {
    chainId: number;
    recordId: string;
    followed: FollowedSpans;
    /** When a span's first interval that may fire begins, in Unix seconds. */
    since(span: Begun): bigint | undefined;
  },
): Promise<void> {
  if (ended.length > 0) {
    const rows = ended.map(({ ruleId, span, untilMs, untilBlock }) => ({
      rule_id: ruleId,
      span,
      until_ms: untilMs,
      until_block: String(untilBlock),
    }));
    await transaction.execute(sql`
      update service.rule_schedules schedule set until_ms = shown.until_ms, until_block = shown.until_block
      from ${recordsOf(rows)} as shown(rule_id text, span text, until_ms bigint, until_block bigint)
      where schedule.record_id = ${recordId} and schedule.rule_id = shown.rule_id and schedule.span = shown.span`);
  }
  if (begun.length === 0) return;
  const rows = begun.map((span) => ({
    rule_id: span.ruleId,
    stay: span.stay,
    span: span.span,
    state: span.state,
    from_state: span.fromState,
    input_id: span.inputId,
    entered_ms: span.enteredMs,
    since_ms: span.sinceMs,
    since_block: String(span.sinceBlock),
    until_ms: span.untilMs,
    until_block: span.untilBlock === null ? null : String(span.untilBlock),
    date: span.date,
    starts_ms: span.startsMs,
    ends_ms: span.endsMs,
    interval_ms: span.intervalMs,
    next_number: countPast(span, since(span)),
  }));
  await transaction.execute(sql`
    insert into service.rule_schedules (record_id, principal_id, chain_id, rule_id, stay, span, state, from_state, input_id, entered_ms,
      since_ms, since_block, until_ms, until_block, date, starts_ms, ends_ms, interval_ms, next_number)
    select ${recordId}, (select principal_id from service.records where id = ${recordId}), ${chainId}::int, shown.*
    from ${recordsOf(rows)} as shown(rule_id text, stay text, span text, state text, from_state text, input_id text,
      entered_ms bigint, since_ms bigint, since_block bigint, until_ms bigint, until_block bigint, date text,
      starts_ms bigint, ends_ms bigint, interval_ms bigint, next_number bigint)
    on conflict (record_id, rule_id, span) do update set entered_ms = excluded.entered_ms, since_ms = excluded.since_ms,
      since_block = excluded.since_block, until_ms = excluded.until_ms, until_block = excluded.until_block,
      date = excluded.date, starts_ms = excluded.starts_ms, ends_ms = excluded.ends_ms`);
}

/** The number of a span's intervals that began before this time. */
function countPast(span: Begun, announcedSince: bigint | undefined): number {
  if (announcedSince === undefined) return 0;
  const past = { nowMs: toMilliseconds(announcedSince) - 1, untilMs: span.untilMs, nextNumber: 0 };
  const due = findDue(span, past);
  return due ? due.number + 1 : 0;
}
