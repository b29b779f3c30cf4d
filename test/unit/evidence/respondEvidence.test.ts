import pg from 'pg';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createEvidenceDoor } from '../../../src/api/evidence/evidenceDoor.ts';
import { createEvidenceHoldings } from '../../../src/api/evidence/evidenceHoldings.ts';
import { createEvidenceSource } from '../../../src/api/evidence/evidenceSource.ts';
import { createEvidenceWriters } from '../../../src/api/evidence/evidenceWriters.ts';
import { respondEvidence } from '../../../src/api/evidence/respondEvidence.ts';
import { RateLimitedError } from '../../../src/platform/errors/serviceError.ts';
import { buildCollected, buildRecord } from './support/collected.ts';

const pool = new pg.Pool();
afterAll(() => pool.end());

/** Answers requests for histories of 600 kB each, where one turn may hold a megabyte. */
function createAnswers() {
  const services = {
    door: createEvidenceDoor(),
    source: createEvidenceSource(pool, {
      ...{ charactersPerSecond: 1_000_000, mostInputs: 1, mostBytes: 1, publicBaseUrl: 'https://x.example' },
      ...{ areOthersWaiting: () => false },
      quotas: { check: () => Promise.resolve(), note() {} },
    }),
    desk: {
      collect: async (record: ReturnType<typeof buildRecord>) => ({
        ...buildCollected(record),
        blocks: [JSON.stringify('x'.repeat(600_000))],
      }),
      endWaits() {},
      close() {},
    },
    holdings: createEvidenceHoldings({ mostBytes: 1_000_000 }),
    pages: { render: () => Promise.reject(new Error('no page')), close: () => Promise.resolve() },
    writers: createEvidenceWriters({ logger: pino({ level: 'silent' }) }),
  };
  return (accept: string) =>
    respondEvidence(
      {
        readRecord: async () => buildRecord('agr_a', 'a'),
        ...{ turn: 'a', headers: new Headers({ accept }), requestId: 'req_a', disconnect() {} },
        async requireAccess() {},
      },
      services,
    );
}

test('a file holds its history until it is read or given up, and others of the turn get 429 meanwhile', async () => {
  const answer = createAnswers();
  const first = await answer('application/json');
  await expect(answer('application/json')).rejects.toThrow(RateLimitedError);
  expect((await first.text()).length).toBeGreaterThan(600_000);
  const second = await answer('application/json');
  await expect(answer('application/json')).rejects.toThrow(RateLimitedError);
  await second.body?.cancel();
  await (await answer('application/json')).body?.cancel();
});

test('a page that cannot be made holds nothing any more', async () => {
  const answer = createAnswers();
  for (let time = 0; time < 2; time++) await expect(answer('text/html')).rejects.toThrow('no page');
});
