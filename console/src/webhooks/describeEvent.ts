import type { AgreementEvent } from '../../../client/src/types.ts';
import { texts } from '../texts/texts.ts';

const words = texts.events;

export function describeEvent(event: AgreementEvent): string {
  const { data } = event;
  if ('sequence' in data)
    return data.fromState === ''
      ? words.deployed(data.toState)
      : words.moved(data.inputId, data.fromState, data.toState);
  return words.notified(data.recipient, data.notification.subject);
}

type Filters = Readonly<Partial<Record<FilterName, readonly string[] | undefined>>>;
export const filterNames = [
  'agreementIds',
  'templateIds',
  'inputIds',
  'fromStates',
  'toStates',
  'ruleIds',
] as const;
export type FilterName = (typeof filterNames)[number];

/** Whether a subscription with these types and filters would get an event. */
export function matches(
  event: AgreementEvent,
  { eventTypes, filters }: { eventTypes: readonly string[]; filters: Filters },
): boolean {
  if (!eventTypes.includes(event.type)) return false;
  const { data } = event;
  const isNotification = !('sequence' in data);
  const transition = isNotification ? data.transition : data;
  const facts: Readonly<Record<FilterName, string | undefined>> = {
    agreementIds: data.agreementId,
    templateIds: data.templateId,
    inputIds: transition?.inputId,
    fromStates: transition?.fromState,
    toStates: transition?.toState,
    ruleIds: isNotification ? data.ruleId : undefined,
  };
  return filterNames.every((name) => {
    const wanted = filters[name] ?? [];
    if (wanted.length === 0 || (name === 'ruleIds' && !isNotification)) return true;
    const fact = facts[name];
    return fact !== undefined && wanted.includes(fact);
  });
}
