import type { VariableValues } from '../../platform/database/tables/records.ts';
import { blankOf, splitTemplate } from '../documents/fillTemplate.ts';
import { type Rule, templateLimits } from './notificationTemplate.ts';

/** The text of a rule on one occasion, with all known values filled in. */
export type Notification = {
  readonly subject: string;
  readonly title?: string;
  readonly body: string;
  readonly ctaLabel?: string;
  readonly attachmentStrategy?: { readonly type: 'customerInvoicePdf'; readonly variant: string };
};

/** References in texts, in addition to variables. */
export type NotificationFacts = {
  readonly agreementId: string;
  readonly agreementName: string;
  readonly fromState: string;
  readonly toState: string;
  readonly inputId: string;
};

/** Longer texts are cut: a value may be as long as a transaction. */
const maxLine = 1_000;
const maxBody = 20_000;
/** The most bytes of values as JSON in one event: four times the size that nodes accept for one transaction. */
const maxPassedOn = 524_288;

/**
 * The notification of a rule with its references filled in. A variable without a value appears as its name in
 * brackets. Other braces stay, and values are not filled in again. Any value is safe: the texts can be stored
 * and mailed.
 */
export function writeNotification(
  { notification }: Rule,
  { facts, variables }: { facts: NotificationFacts; variables: VariableValues },
): Notification {
  const { subject, title, body, ctaLabel, attachmentStrategy } = notification;
  const write = (text: string, most: number) => fill(text, { facts, variables, most });
  const line = (text: string) => cut(write(text, maxLine).replace(/\s+/g, ' ').trim(), maxLine);
  return {
    subject: line(subject),
    ...(title !== undefined && { title: line(title) }),
    body: cut(write(body, maxBody), maxBody),
    ...(ctaLabel !== undefined && { ctaLabel: line(ctaLabel) }),
    ...(attachmentStrategy !== undefined && { attachmentStrategy }),
  };
}

/**
 * The values for each event of one occasion: whole values, because a receiver may build a document from them.
 * If together they exceed the limit of an event, or of all events, the largest are left out.
 */
export function fitVariables(variables: VariableValues, events: number): VariableValues {
  let room = Math.min(maxPassedOn, Math.floor(templateLimits.notificationBytes / Math.max(1, events)));
  const sizes = Object.entries(variables).map(([name, value]) => ({
    name,
    size: Buffer.byteLength(JSON.stringify([name, value])),
  }));
  const fitting = new Set<string>();
  for (const { name, size } of sizes.toSorted((a, b) => a.size - b.size)) {
    room -= size;
    if (room < 0) break;
    fitting.add(name);
  }
  return Object.fromEntries(Object.entries(variables).filter(([name]) => fitting.has(name)));
}

const factPattern = /\$\{(agreementId|agreementName|fromState|toState|inputId)\}/g;

/**
 * The text with its values, up to slightly more than `most` characters: a large value may be named a thousand
 * times.
 */
function fill(
  text: string,
  { facts, variables, most }: { facts: NotificationFacts; variables: VariableValues; most: number },
): string {
  const byName = new Map(Object.entries(facts));
  let filled = '';
  for (const piece of splitTemplate(text, variables)) {
    if (filled.length > most) break;
    filled +=
      typeof piece === 'string'
        ? piece.replace(factPattern, (_, name: string) => byName.get(name) ?? `[${name}]`)
        : storable((piece.value ?? blankOf(piece)).slice(0, most + 1));
  }
  return filled;
}

/** A chain can hold any text; the database cannot hold NUL. */
function storable(value: string): string {
  return value.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Never cuts within a surrogate pair. */
function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`;
}
