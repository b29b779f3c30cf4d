import type { OpenSpan } from './tracing.ts';

const held = new WeakMap<object, OpenSpan[]>();

/**
 * Holds the spans of writes in a database transaction until its commit. If the transaction is undone, they
 * are dropped.
 */
export function holdSpans(transaction: object): { end(): void } {
  const spans: OpenSpan[] = [];
  held.set(transaction, spans);
  return {
    end() {
      for (const span of spans.splice(0)) span.end();
    },
  };
}

/** Ends a span together with others of its transaction; at once outside of one. */
export function endWith(transaction: object, span: OpenSpan): void {
  const spans = held.get(transaction);
  if (spans) spans.push(span);
  else span.end();
}
