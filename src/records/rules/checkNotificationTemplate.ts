import { listLongLists } from '../../platform/errors/listLongLists.ts';
import { parseShape } from '../../platform/errors/parseShape.ts';
import type { Issue } from '../../protocol/errors.ts';
import { isHidden } from '../../protocol/isHidden.ts';
import { listIssues } from '../../protocol/issueList.ts';
import { JsonCursor } from '../../protocol/jsonCursor.ts';
import type { Participant } from '../../protocol/participants.ts';
import { quote } from '../../protocol/quote.ts';
import { listVariableReferences } from '../../protocol/references.ts';
import { findVariable, readVariables } from '../../protocol/variables.ts';
import { deployInputId } from '../events/transitionFact.ts';
import { durationShape, shortestIntervalMs, toDurationMs } from './duration.ts';
import { isEmailAddress } from './emailAddress.ts';
import {
  allObservers,
  allParticipants,
  blankMessage,
  defaultRuleLimits,
  notificationTemplateShape,
  type RuleLimits,
  templateLimits,
} from './notificationTemplate.ts';
import { knownAddresses } from './recipients.ts';

/** Errors and warnings of a template; paths begin with `notificationTemplate`. */
export type TemplateReport = { readonly issues: readonly Issue[]; readonly warnings: readonly Issue[] };

export type TemplateFacts = {
  readonly agreement: unknown;
  readonly isMailConfigured: boolean;
  /** Participants and observers, if already known. */
  readonly parties?: {
    readonly participants: readonly Participant[];
    readonly observers: readonly string[];
  };
  /** UTF-8 bytes of all initial values of the agreement; 0 by default. */
  readonly valueBytes?: number;
  readonly limits?: RuleLimits;
};

type Names = {
  readonly states: ReadonlySet<string>;
  readonly inputs: ReadonlySet<string>;
  readonly document: JsonCursor;
};

/**
 * Checks the rules of a deployment: their shape, that ids are unique, and that states, inputs, dates and
 * recipients exist. Finds all issues at once, up to a hundred. Unknown variables in texts are a warning, as
 * in the document's own content; so is anything that a mail cannot do.
 */
export function checkNotificationTemplate(
  template: unknown,
  { agreement, isMailConfigured, parties, valueBytes = 0, limits = defaultRuleLimits }: TemplateFacts,
): TemplateReport {
  const root = 'notificationTemplate';
  const given = new JsonCursor(template, root).at('rules');
  const long = [
    ...listManyRules(given, limits),
    ...listItems(given).flatMap((rule) => listLongLists(rule, templateLimits.listItems)),
  ];
  if (long.length > 0) return { issues: listIssues(long), warnings: [] };
  const shape = parseShape(notificationTemplateShape, template, 'body');
  const ofShape = shape.ok
    ? []
    : shape.issues.map(({ path, message }) => ({ path: path === '' ? root : `${root}.${path}`, message }));

  const document = new JsonCursor(agreement);
  const execution = document.at('execution');
  const names: Names = {
    states: new Set(execution.at('states').keys()),
    inputs: new Set([...execution.at('inputs').keys(), deployInputId]),
    document,
  };
  const rules = listItems(given);
  const ofNames = rules.flatMap((rule) => [
    ...checkTrigger(rule.at('trigger'), names),
    ...checkRecipients(rule.at('recipients'), names),
  ]);
  const issues = [
    ...ofShape,
    ...findUnseen([new JsonCursor(template, root).at('metadata').at('id'), ...rules.flatMap(listNames)]),
    ...findRepeatedIds(rules),
    ...ofNames,
    ...checkReach(rules, { parties, valueBytes, limits }),
  ];
  if (issues.length > 0) return { issues: listIssues(issues), warnings: [] };
  const warnings = rules.flatMap((rule) => [
    ...listWarnings(rule, document, isMailConfigured),
    ...listStrangers(rule, parties),
    ...listNobody(rule, parties),
    ...listHaste(rule),
  ]);
  return { issues, warnings: listIssues(warnings) };
}

/** Mails go only to people named as participants or observers; webhook events name any recipient of a rule. */
function listStrangers(rule: JsonCursor, parties: TemplateFacts['parties']): Issue[] {
  if (!parties || rule.at('notification').at('channel').value === 'external_webhook') return [];
  const known = knownAddresses(parties);
  return listItems(rule.at('recipients'))
    .filter(
      ({ value }) => typeof value === 'string' && isEmailAddress(value) && !known.has(value.toLowerCase()),
    )
    .map((recipient) =>
      issueAt(recipient, 'is not the address of a participant or observer; no mail will be sent to it'),
    );
}

/** The participants and observers of an agreement stay those of its deployment. */
function listNobody(rule: JsonCursor, parties: TemplateFacts['parties']): Issue[] {
  return listItems(rule.at('recipients')).flatMap((recipient) => {
    if (recipient.value === allParticipants && parties?.participants.length === 0)
      return [issueAt(recipient, 'reaches nobody, as the deployment has no participants')];
    if (recipient.value === allObservers && parties?.observers.length === 0)
      return [issueAt(recipient, 'reaches nobody, as the deployment has no observers')];
    return [];
  });
}

function listHaste(rule: JsonCursor): Issue[] {
  const interval = rule.at('trigger').at('checkInterval');
  const duration = durationShape.safeParse(interval.value);
  if (!duration.success || toDurationMs(duration.data) >= shortestIntervalMs) return [];
  return [issueAt(interval, 'is less than a minute; the rule fires at most once a minute')];
}

function listManyRules({ path, value }: JsonCursor, { rules }: RuleLimits): Issue[] {
  if (!Array.isArray(value) || value.length <= rules) return [];
  return [{ path, message: `must have no more than ${rules} items` }];
}

/** One event of an agreement must not cause more notifications than the database can write at once. */
function checkReach(
  rules: readonly JsonCursor[],
  {
    parties,
    valueBytes,
    limits,
  }: Required<Pick<TemplateFacts, 'valueBytes' | 'limits'>> & {
    parties: TemplateFacts['parties'];
  },
): Issue[] {
  const sizes = new Map<unknown, number>([
    [allParticipants, parties?.participants.length ?? 1],
    [allObservers, parties?.observers.length ?? 1],
  ]);
  const recipients = rules.flatMap((rule) => listItems(rule.at('recipients')));
  const reach = recipients.reduce((sum, { value }) => sum + (sizes.get(value) ?? 1), 0);
  const path = 'notificationTemplate.rules';
  if (reach > limits.notifications) {
    const message = `must not have more than ${limits.notifications} recipients together, they have ${reach}`;
    return [{ path, message }];
  }
  const bytes = reach * valueBytes;
  if (bytes <= templateLimits.notificationBytes) return [];
  const message = `must not send more than ${templateLimits.notificationBytes} bytes of values to all recipients together (${reach} recipients with ${valueBytes} bytes each)`;
  return [{ path, message }];
}

function listNames(rule: JsonCursor): JsonCursor[] {
  const notification = rule.at('notification');
  return [
    rule.at('id'),
    ...['subject', 'body'].map((name) => notification.at(name)),
    notification.at('attachmentStrategy').at('variant'),
  ];
}

/** The shape refuses texts of mere spaces. */
function findUnseen(names: readonly JsonCursor[]): Issue[] {
  return names.flatMap((name) =>
    typeof name.value === 'string' && isHidden(name.value) ? [issueAt(name, blankMessage)] : [],
  );
}

function findRepeatedIds(rules: readonly JsonCursor[]): Issue[] {
  const seen = new Set<unknown>();
  return rules.flatMap((rule) => {
    const id = rule.at('id');
    if (typeof id.value !== 'string') return [];
    if (seen.has(id.value)) return [issueAt(id, 'must not repeat the id of an earlier rule')];
    seen.add(id.value);
    return [];
  });
}

function checkTrigger(trigger: JsonCursor, { states, inputs, document }: Names): Issue[] {
  const inList = (list: JsonCursor, declared: ReadonlySet<string>, kind: string) =>
    listItems(list).flatMap((name) =>
      typeof name.value === 'string' && !declared.has(name.value)
        ? [issueAt(name, `names ${quote(name.value)}, which is not a declared ${kind}`)]
        : [],
    );
  // Before the deployment there is no state; events show it as an empty text.
  const withNone = new Set([...states, '']);
  return [
    ...inList(trigger.at('from'), withNone, 'state'),
    ...inList(trigger.at('to'), states, 'state'),
    ...inList(trigger.at('inputs'), inputs, 'input'),
    ...inList(trigger.at('states'), states, 'state'),
    ...checkDate(trigger.at('condition'), document),
  ];
}

/** A `string` may hold a date too; other types never do. The age of a state needs no date. */
function checkDate(condition: JsonCursor, document: JsonCursor): Issue[] {
  const variable = condition.at('variable');
  if (condition.at('type').value === 'stateAge' || typeof variable.value !== 'string') return [];
  const declared = findVariable(document, variable.value);
  const name = quote(variable.value);
  if (!declared) return [issueAt(variable, `names ${name}, which is not a declared variable`)];
  if (declared.declaredType === 'dateTime' || declared.declaredType === 'string') return [];
  return [issueAt(variable, `names ${name}, which is not of type dateTime`)];
}

function checkRecipients(recipients: JsonCursor, { document }: Names): Issue[] {
  return listItems(recipients).flatMap((recipient) => {
    const { value } = recipient;
    if (typeof value !== 'string' || value === allParticipants || value === allObservers) return [];
    if (findVariable(document, value)?.declaredType === 'address' || isEmailAddress(value)) return [];
    const expected = 'must be *, @observers, a variable of type address or an e-mail address';
    return [issueAt(recipient, expected)];
  });
}

function listWarnings(rule: JsonCursor, document: JsonCursor, isMailConfigured: boolean): Issue[] {
  const notification = rule.at('notification');
  const channel = notification.at('channel');
  const isMail = channel.value !== 'external_webhook';
  const texts = ['subject', 'title', 'body', 'ctaLabel'].map((name) => notification.at(name));
  const declared = new Set(readVariables(document).map(({ name }) => name));
  const ofTexts = texts.flatMap((text) =>
    (typeof text.value === 'string' ? listVariableReferences(text.value) : [])
      .filter((name) => !declared.has(name))
      .map((name) => issueAt(text, `names ${quote(name)}, which is not a declared variable`)),
  );
  const attachment = notification.at('attachmentStrategy');
  return [
    ...(isMail && !isMailConfigured
      ? [issueAt(channel, 'is email, but this service has no mail server; nothing will be sent')]
      : []),
    ...(isMail && !attachment.isAbsent
      ? [issueAt(attachment, 'is only included in webhooks; mails have no attachments')]
      : []),
    ...ofTexts,
  ];
}

/** The items of an array; the shape refuses anything else. */
function listItems(list: JsonCursor): JsonCursor[] {
  return Array.isArray(list.value) ? list.items() : [];
}

function issueAt({ path }: JsonCursor, message: string): Issue {
  return { path, message };
}
