import type { VariableValues } from '../../platform/database/tables/records.ts';
import { writeSharedEnvelope } from '../events/envelope.ts';
import type { EventIds } from '../events/eventIds.ts';
import { buildEventPart, type EventPart } from '../events/eventParts.ts';
import type { NewEvent } from '../events/newEvent.ts';
import type { AnnouncedRecord } from '../events/transitionFact.ts';
import type { Transition } from './matchTransition.ts';
import { type Channel, channelOf, type Rule } from './notificationTemplate.ts';
import { knownAddresses, type Recipient, resolveRecipients } from './recipients.ts';
import { fitVariables, type Notification, writeNotification } from './writeNotification.ts';

/** A rule that fires, and its occasion. Times as ISO 8601. */
export type Occurrence = {
  readonly rule: Rule;
  /** The rules' name, if their metadata has one. */
  readonly templateId: string | undefined;
  readonly record: AnnouncedRecord;
  readonly occasion: string;
  /** The transition that caused it, or that entered the state whose time has come. */
  readonly transition: Transition;
  /** The time of the transition, if it is the cause. */
  readonly occurredAt: string | undefined;
  readonly variables: VariableValues;
};

export type NewFiring = {
  readonly id: string;
  readonly principalId: string;
  readonly recordId: string;
  readonly ruleId: string;
  readonly recipient: Recipient;
  readonly occasion: string;
  readonly triggerType: 'onTransition' | 'temporal';
  readonly channel: Channel;
  readonly maxOccurrences: number | undefined;
  readonly notification: Notification;
  /** Whether a mail may go to the recipient: the address belongs to a participant or observer. */
  readonly isParty: boolean;
  /** The event of the firing; null if it is a mail. */
  readonly event: Omit<NewEvent, 'blockNumber' | 'txHash' | 'blockOrder'> | null;
};

/** A rule's effect on one occasion: a firing for each of its recipients, with the texts filled in. */
export function buildFirings(
  occurrence: Occurrence,
  { eventIds, createdAt, variables }: { eventIds: EventIds; createdAt: Date; variables: EventPart },
): NewFiring[] {
  const { rule, record, occasion } = occurrence;
  const { id: recordId, principalId, chainId } = record;
  const notification = describe(occurrence);
  const channel = channelOf(rule);
  const type = 'agreement.notification.triggered';
  const known = knownAddresses(record);
  const parts = { notification: buildEventPart(principalId, notification), variables };
  return listRecipients(occurrence).map((recipient) => {
    const place = { recordId, ruleId: rule.id, recipient: recipient.name, occasion };
    const id = eventIds.ofNotification({ principalId, ...place });
    const write = () =>
      writeSharedEnvelope({ id, type, createdAt, data: buildData(occurrence, recipient) }, parts);
    return {
      id,
      principalId,
      ...place,
      recipient,
      triggerType: rule.trigger.type,
      channel,
      maxOccurrences: rule.constraints?.maxOccurrences,
      notification,
      isParty: recipient.email !== undefined && known.has(recipient.email.toLowerCase()),
      event: channel === 'email' ? null : { id, principalId, recordId, type, ...write(), chainId },
    };
  });
}

/**
 * The data shared by all events of one occasion, as far as they fit: the effective values, and those that the input
 * submitted in fields which are no variables.
 */
export function passOnVariables(
  occurrences: readonly [Occurrence, ...Occurrence[]],
  submitted: VariableValues = {},
): EventPart {
  const [{ record, variables }] = occurrences;
  const events = occurrences
    .filter(({ rule }) => channelOf(rule) !== 'email')
    .reduce((sum, occurrence) => sum + listRecipients(occurrence).length, 0);
  // Mails hold no values: megabytes would be measured in vain.
  const values = events === 0 ? {} : fitVariables({ ...submitted, ...variables }, events);
  return buildEventPart(record.principalId, values);
}

function listRecipients({ rule, record, variables }: Occurrence): Recipient[] {
  return resolveRecipients(rule.recipients, { ...record, variables });
}

export function describe({ rule, record, transition, variables }: Occurrence): Notification {
  const facts = { agreementId: record.id, agreementName: record.displayName, ...transition };
  return writeNotification(rule, { facts, variables });
}

/** The `data` of an `agreement.notification.triggered` event, without the shared part. */
function buildData(
  { rule, templateId, record, transition, occurredAt }: Occurrence,
  recipient: Recipient,
): Record<string, unknown> {
  return {
    agreementId: record.id,
    agreementName: record.displayName,
    templateId: record.templateId,
    notificationTemplateId: templateId ?? record.templateId,
    ruleId: rule.id,
    triggerType: rule.trigger.type,
    recipient: recipient.name,
    ...(occurredAt !== undefined && { transition: { ...transition, occurredAt } }),
  };
}
