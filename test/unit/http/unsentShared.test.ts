import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createUnsentLook, usualUnsentBounds } from '../../../src/platform/http/unsentAnswers.ts';

test('clients that read their own answer well are not cut for others that read slowly', () => {
  const connection = (unsent: number, perLook: number) => ({
    isCut: false,
    writableLength: unsent,
    bytesWritten: unsent,
    perLook,
    take() {
      this.writableLength = Math.max(0, this.writableLength - this.perLook);
    },
    destroy() {
      this.isCut = true;
    },
  });
  const strangers = Array.from({ length: 230 }, () => connection(643_640, 1));
  // A page of two megabytes on a line of 20 Mbit/s.
  const tenant = connection(2_000_000, 625_000);
  const all = [...strangers, tenant];
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
  expect(strangers.some(({ isCut }) => isCut)).toBe(true);
  expect(tenant.isCut).toBe(false);
});
