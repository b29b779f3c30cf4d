import { member } from '../agreements/member.ts';
import { texts } from '../texts/texts.ts';

const words = texts.rules;

/** One readable rule of a notificationTemplate as a sentence. */
export function describeRule(rule: unknown): string {
  const isOff = member(rule, 'enabled') === false;
  const recipients = textsOf(member(rule, 'recipients')).map((recipient) =>
    recipient === '*' ? words.everyone : recipient === '@observers' ? words.observers : recipient,
  );
  const channel = textOf(member(rule, 'notification', 'channel')) ?? 'email';
  const notice = words.tell(recipients.join(words.and), words.channels[channel] ?? channel);
  return `${isOff ? `${words.off}: ` : ''}${describeTrigger(member(rule, 'trigger'))}, ${notice}.`;
}

function describeTrigger(trigger: unknown): string {
  if (member(trigger, 'type') !== 'temporal') {
    const [from, to, inputs] = ['from', 'to', 'inputs'].map((name) =>
      textsOf(member(trigger, name))
        .map((each) => (each === '__deploy' ? words.deploy : each))
        .join(words.or),
    );
    return words.whenever([
      ...(inputs ? [words.byAny(inputs)] : []),
      ...(from ? [words.fromAny(from)] : []),
      ...(to ? [words.toAny(to)] : []),
    ]);
  }
  const condition = member(trigger, 'condition');
  const states = textsOf(member(trigger, 'states')).join(words.or);
  const variable = textOf(member(condition, 'variable')) ?? '?';
  const time = describeDuration(member(condition, 'threshold'));
  const kind = member(condition, 'type');
  const when =
    kind === 'deadlineApproaching'
      ? words.deadline(time, variable, states)
      : kind === 'elapsedSinceVariable'
        ? words.elapsed(time, variable, states)
        : words.stateAge(time, states);
  const interval = member(trigger, 'checkInterval');
  const often =
    member(trigger, 'fireOnce') === true
      ? words.once
      : interval === undefined
        ? words.daily
        : words.every(describeDuration(interval));
  return `${when} (${often})`;
}

function describeDuration(duration: unknown): string {
  return `${String(member(duration, 'value') ?? '?')} ${String(member(duration, 'unit') ?? '')}`;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
