import type { SubscribableEventType, SubscriptionFilters } from '../../platform/database/tables/webhooks.ts';

export type FilterName = keyof SubscriptionFilters;

export const subscribableEventTypes = [
  'agreement.transitioned',
  'agreement.notification.triggered',
] as const satisfies readonly SubscribableEventType[];

/** The types of a subscription that names none. */
export const defaultEventTypes: readonly SubscribableEventType[] = ['agreement.transitioned'];

/** The field of an event's data for each filter; a filter without a field is not used for that type. */
const subjects: Record<SubscribableEventType, Partial<Record<FilterName, readonly string[]>>> = {
  'agreement.transitioned': {
    agreementIds: ['agreementId'],
    templateIds: ['templateId'],
    inputIds: ['inputId'],
    fromStates: ['fromState'],
    toStates: ['toState'],
  },
  'agreement.notification.triggered': {
    agreementIds: ['agreementId'],
    templateIds: ['templateId'],
    inputIds: ['transition', 'inputId'],
    fromStates: ['transition', 'fromState'],
    toStates: ['transition', 'toState'],
    ruleIds: ['ruleId'],
  },
};

export const filterNames = [
  'agreementIds',
  'templateIds',
  'inputIds',
  'fromStates',
  'toStates',
  'ruleIds',
] as const satisfies readonly FilterName[];

/**
 * Whether a subscription wants an event, given its type and the `data` of its envelope. Values are compared
 * exactly: one value of each filter must equal the event's. An absent or empty filter matches everything; a
 * filter whose field the event lacks matches nothing.
 */
export function matchesSubscription(
  subscription: {
    readonly eventTypes: readonly SubscribableEventType[];
    readonly filters: SubscriptionFilters | null;
  },
  event: { readonly type: string; readonly data: unknown },
): boolean {
  const type = subscription.eventTypes.find((wanted) => wanted === event.type);
  if (type === undefined) return false;
  const paths = subjects[type];
  return filterNames.every((name) => {
    const wanted = subscription.filters?.[name] ?? [];
    const path = paths[name];
    if (wanted.length === 0 || path === undefined) return true;
    const found = findMember(event.data, path);
    return typeof found === 'string' && wanted.includes(found);
  });
}

function findMember(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined,
    data,
  );
}
