import type { RowOf } from '../../platform/database/rowOf.ts';
import type { records } from '../../platform/database/tables/records.ts';
import { malformed, RefusedError } from '../../platform/errors/serviceError.ts';
import { findTransition, transitionsFor } from '../../protocol/index.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import { quote } from '../../protocol/quote.ts';
import type { Services } from '../../records/agreements/services.ts';
import { deployInputId } from '../../records/events/transitionFact.ts';
import { checkNotificationTemplate } from '../../records/rules/checkNotificationTemplate.ts';
import type { Transition } from '../../records/rules/matchTransition.ts';
import { type Firing, newestFirings } from '../../records/rules/newestFirings.ts';
import { notificationTemplateShape } from '../../records/rules/notificationTemplate.ts';
import {
  type CountReader,
  type PreviewedRecord,
  type PreviewedRule,
  type PreviewOccasion,
  previewRules,
} from '../../records/rules/previewRules.ts';
import { readRuleCounts } from '../../records/rules/readRuleCounts.ts';
import { refusePart } from './checkDeployment.ts';
import { buildOwnedQuery, queryOwned, type RecordReference } from './recordReference.ts';

export type PreviewRequest = {
  readonly reference: RecordReference;
  readonly principalId: string;
  /** The transition, by names of the document; an absent state follows from the document. */
  readonly transition?:
    | { inputId: string; fromState?: string | undefined; toState?: string | undefined }
    | undefined;
  /** Instead of a transition: a moment in the present state. */
  readonly at?: string | undefined;
  /** Instead of the record's rules; as parsed. */
  readonly notificationTemplate?: unknown;
};

type Row = RowOf<
  typeof records,
  | 'id'
  | 'principal_id'
  | 'chain_id'
  | 'display_name'
  | 'template_id'
  | 'document'
  | 'participants'
  | 'observers'
  | 'variables'
  | 'state'
  | 'notification_template'
> & {
  entered_ms: string | null;
  entered_by: { fromState: string; inputId: string } | null;
  spans: { ruleId: string; stay: string; span: string; sinceMs: number; nextNumber: number }[] | null;
  fired: Firing[] | null;
};

const query = buildOwnedQuery({
  columns: `r.id, r.principal_id, r.chain_id, r.display_name, r.template_id, r.document, r.participants, r.observers,
    r.variables, r.state, (extract(epoch from r.state_updated_at) * 1000)::bigint::text as entered_ms,
    (select json_build_object('fromState', i.from_state, 'inputId', i.input_id)
      from service.inputs i where i.record_id = r.id and i.sequence is not null
      order by i.position desc limit 1) as entered_by,
    r.notification_template,
    (select json_agg(json_build_object('ruleId', s.rule_id, 'stay', s.stay, 'span', s.span, 'sinceMs', s.since_ms,
        'nextNumber', s.next_number))
      from service.rule_schedules s where s.record_id = r.id and s.until_ms is null) as spans,
    ${newestFirings} as fired`,
});

/**
 * What the rules of one of a principal's records would do on a transition, or at a moment if the state lasts
 * until then. A template in the request replaces the record's rules. Stores nothing and notifies nobody.
 *
 * @throws NotFoundError, AccessError, MalformedError as `queryOwned` does.
 * @throws RefusedError `invalid_notification_template` with all issues, `unknown_input` for an input that the document lacks;
 * MalformedError for states that it does not declare.
 */
export async function previewNotifications(
  { reference, principalId, ...asked }: PreviewRequest,
  { pool, isMailConfigured, limits }: Pick<Services, 'pool' | 'isMailConfigured' | 'limits'>,
): Promise<{ occasion: PreviewOccasion; rules: PreviewedRule[] }> {
  const [row] = await queryOwned<Row>(pool, { reference, principalId, query });
  const agreement: unknown = JSON.parse(row.document);
  const stored: unknown =
    row.notification_template === null ? { rules: [] } : JSON.parse(row.notification_template);
  const template = asked.notificationTemplate ?? stored;
  const isOther = asked.notificationTemplate !== undefined;
  if (isOther) {
    const { issues } = checkNotificationTemplate(template, {
      agreement,
      isMailConfigured,
      limits: limits.rules,
    });
    if (issues.length > 0) throw refusePart('invalid_notification_template', issues);
  }
  const record = describeRecord(row, isOther);
  const occasion = chooseOccasion(asked, { agreement, state: record.state });
  const parsed = notificationTemplateShape.safeParse(template).data;
  const readCounts: CountReader = async (firings) =>
    isOther ? new Map() : readRuleCounts(pool, { recordId: record.id, firings });
  return { occasion, rules: parsed ? await previewRules(parsed, { record, occasion, readCounts }) : [] };
}

/** Earlier firings do not apply to other rules, even with the same ids. */
function describeRecord(row: Row, isOther: boolean): PreviewedRecord {
  const spans = isOther ? [] : (row.spans ?? []);
  return {
    id: row.id,
    principalId: row.principal_id,
    chainId: row.chain_id,
    displayName: row.display_name,
    templateId: row.template_id,
    participants: row.participants,
    observers: row.observers,
    variables: row.variables,
    state: row.state,
    enteredMs: row.entered_ms === null ? null : Number(row.entered_ms),
    enteredBy: row.entered_by ?? { fromState: '', inputId: deployInputId },
    spans: new Map(spans.map((span) => [span.ruleId, span])),
    fired: isOther ? [] : (row.fired ?? []),
  };
}

function chooseOccasion(
  { transition, at }: Pick<PreviewRequest, 'transition' | 'at'>,
  { agreement, state }: { agreement: unknown; state: string | null },
): PreviewOccasion {
  if (transition && at === undefined)
    return { type: 'transition', transition: completeTransition(transition, { agreement, state }) };
  if (!transition && at !== undefined) return { type: 'moment', atMs: Date.parse(at) };
  const message = transition
    ? 'cannot be combined with transition'
    : 'is required unless transition is given';
  throw malformed('body', [{ path: 'at', message }]);
}

/** @throws RefusedError for an input that the document lacks; MalformedError for states that it does not declare. */
function completeTransition(
  { inputId, fromState, toState }: NonNullable<PreviewRequest['transition']>,
  { agreement, state }: { agreement: unknown; state: string | null },
): Transition {
  requireStates({ fromState, toState }, agreement);
  if (inputId === deployInputId) {
    const initial = findInitialState(agreement);
    return { inputId, fromState: fromState ?? '', toState: toState ?? initial ?? '' };
  }
  const known = transitionsFor(agreement, inputId);
  const isDeclared = new JsonCursor(agreement).at('execution').at('inputs').keys().includes(inputId);
  if (!isDeclared || (known.length === 0 && toState === undefined))
    throw new RefusedError('unknown_input', 'No transition of the agreement uses this input.', {
      field: 'transition.inputId',
      facts: { inputId },
    });
  const from = fromState ?? state ?? known[0]?.from ?? '';
  const to = toState ?? findTransition(agreement, { state: from, inputId })?.to ?? from;
  return { inputId, fromState: from, toState: to };
}

function requireStates(
  states: Record<'fromState' | 'toState', string | undefined>,
  agreement: unknown,
): void {
  const declared = new Set(new JsonCursor(agreement).at('execution').at('states').keys());
  const issues = (['fromState', 'toState'] as const).flatMap((name) => {
    const state = states[name];
    // Before the deployment there is no state; events show it as an empty text.
    const isKnown = state === undefined || declared.has(state) || (name === 'fromState' && state === '');
    if (isKnown) return [];
    const message = `names ${quote(state)}, which is not a declared state`;
    return [{ path: `transition.${name}`, message }];
  });
  if (issues.length > 0) throw malformed('body', issues);
}

function findInitialState(agreement: unknown): string | undefined {
  const initial = new JsonCursor(agreement).at('execution').at('initialize').at('initialState').value;
  return typeof initial === 'string' ? initial : undefined;
}
