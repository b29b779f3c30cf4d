import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createUnsentLook, usualUnsentBounds } from '../../../src/platform/http/unsentAnswers.ts';

const connection = (unsent: number, perLook: number, remoteAddress?: string) => ({
  isCut: false,
  writableLength: unsent,
  bytesWritten: unsent,
  remoteAddress,
  perLook,
  take() {
    this.writableLength = Math.max(0, this.writableLength - this.perLook);
  },
  destroy() {
    this.isCut = true;
  },
});

/** The look at these connections, repeated. All take of their answers after each. */
function watch(all: readonly ReturnType<typeof connection>[]): (looks: number) => void {
  const look = createUnsentLook({
    connections: { [Symbol.iterator]: () => all.filter(({ isCut }) => !isCut)[Symbol.iterator]() },
    running: [],
    bounds: usualUnsentBounds,
    logger: pino({ level: 'silent' }),
  });
  return (looks) => {
    for (let at = 0; at < looks; at++) {
      look();
      for (const each of all) each.take();
    }
  };
}

test('clients that read their own answer well are not cut for others that read slowly', () => {
  const strangers = Array.from({ length: 230 }, () => connection(643_640, 1));
  // A page of two megabytes on a line of 20 Mbit/s.
  const tenant = connection(2_000_000, 625_000);
  watch([...strangers, tenant])(4);
  expect(strangers.some(({ isCut }) => isCut)).toBe(true);
  expect(tenant.isCut).toBe(false);
});

test('if one address holds most of what is unsent, a neighbour on a slow line is not cut for it', () => {
  const greedy = Array.from({ length: 20 }, () => connection(9_000_000, 100_000, '192.0.2.1'));
  const neighbour = connection(2_000_000, 20_000, '192.0.2.2');
  watch([...greedy, neighbour])(4);
  expect(greedy.some(({ isCut }) => isCut)).toBe(true);
  expect(greedy.some(({ isCut }) => !isCut)).toBe(true);
  expect(neighbour.isCut).toBe(false);
});

test('an address is not cut for others that have long taken nothing, though it holds more', () => {
  const stalled = Array.from({ length: 7 }, (_, at) => connection(9_000_000, 0, `192.0.2.${at + 2}`));
  const reading = Array.from({ length: 9 }, () => connection(0, 500_000, '192.0.2.1'));
  const look = watch([...stalled, ...reading]);
  look(20);
  expect(stalled.some(({ isCut }) => isCut)).toBe(false);
  for (const each of reading) {
    each.writableLength += 9_000_000;
    each.bytesWritten += 9_000_000;
  }
  look(4);
  expect(stalled.some(({ isCut }) => isCut)).toBe(true);
  expect(reading.some(({ isCut }) => isCut)).toBe(false);
});
