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

/** Looks four times, and has all take of their answers in between. */
function lookAt(all: readonly ReturnType<typeof connection>[]): void {
  const look = createUnsentLook({
    connections: { [Symbol.iterator]: () => all.filter(({ isCut }) => !isCut)[Symbol.iterator]() },
    running: [],
    bounds: usualUnsentBounds,
    logger: pino({ level: 'silent' }),
  });
  for (let looks = 0; looks < 4; looks++) {
    look();
    for (const each of all) each.take();
  }
}

test('clients that read their own answer well are not cut for others that read slowly', () => {
  const strangers = Array.from({ length: 230 }, () => connection(643_640, 1));
  // A page of two megabytes on a line of 20 Mbit/s.
  const tenant = connection(2_000_000, 625_000);
  lookAt([...strangers, tenant]);
  expect(strangers.some(({ isCut }) => isCut)).toBe(true);
  expect(tenant.isCut).toBe(false);
});

test('if one address holds most of what is unsent, a neighbour on a slow line is not cut for it', () => {
  const greedy = Array.from({ length: 20 }, () => connection(9_000_000, 100_000, '192.0.2.1'));
  const neighbour = connection(2_000_000, 20_000, '192.0.2.2');
  lookAt([...greedy, neighbour]);
  expect(greedy.some(({ isCut }) => isCut)).toBe(true);
  expect(greedy.some(({ isCut }) => !isCut)).toBe(true);
  expect(neighbour.isCut).toBe(false);
});
