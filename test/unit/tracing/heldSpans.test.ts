import { expect, test } from 'vitest';
import { endWith, holdSpans } from '../../../src/platform/tracing/heldSpans.ts';

function openSpan() {
  let ended = 0;
  const span = { traceParent: '00-1-1-01', end: () => void ended++ };
  return { span, ended: () => ended };
}

test('spans end with their transaction, each once, and never if it is undone', () => {
  const [kept, undone] = [{}, {}];
  const held = holdSpans(kept);
  holdSpans(undone);
  const [one, other] = [openSpan(), openSpan()];
  endWith(kept, one.span);
  endWith(undone, other.span);
  expect([one.ended(), other.ended()]).toEqual([0, 0]);
  held.end();
  held.end();
  expect([one.ended(), other.ended()]).toEqual([1, 0]);
});

test('a span outside of a held transaction ends at once', () => {
  const { span, ended } = openSpan();
  endWith({}, span);
  expect(ended()).toBe(1);
});
