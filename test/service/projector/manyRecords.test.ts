import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../src/platform/database/inTransaction.ts';
import { nameHash } from '../../../src/protocol/names.ts';
import { createDocumentCache } from '../../../src/worker/projector/documentCache.ts';
import { readTransitionWeights } from '../../../src/worker/projector/transitionWeights.ts';
import { measureLongestTurn } from '../../support/longestTurn.ts';
import { insertRecords } from '../support/rows.ts';
import { createFixture, type Fixture } from './support/setup.ts';

/** The most processor time that one turn of the event loop may take, in milliseconds. */
const mostTurnMs = 100;
const principal = { id: 'prn_many' };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
  await fixture.pool.query('insert into service.principals (id, name) values ($1, $1)', [principal.id]);
});
afterAll(() => fixture.close());

const times = <Item>(count: number, build: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => build(at));

/** A document with as many states and inputs as there may be, under names of its own. */
function buildDocument(number: number): string {
  const names = (kind: string) => times(256, (at) => [`${kind}${number} ${at}`, {}] as const);
  const [states, inputs] = [names('s'), names('i')];
  return JSON.stringify({
    execution: { states: Object.fromEntries(states), inputs: Object.fromEntries(inputs) },
  });
}

test('many documents are read for a fold without blocking the event loop', async () => {
  const records = times(400, (at) => ({
    id: `agr_document${at}`,
    docHash: `0x${randomBytes(32).toString('hex')}` as const,
    document: buildDocument(at),
  }));
  await insertRecords(
    fixture.pool,
    principal,
    records.map(({ id, docHash, document }) => ({ id, doc_hash: docHash, document })),
  );
  await inTransaction(fixture.database, async (transaction) => {
    const { result: documents, longestMs } = await measureLongestTurn(() =>
      createDocumentCache().load(transaction, records),
    );
    expect(longestMs).toBeLessThan(mostTurnMs);
    for (const [at, { docHash }] of records.entries())
      expect(documents(docHash).nameState(nameHash(`s${at} 255`))).toBe(`s${at} 255`);
  });
});

test('the rules of many records are read for a fold without blocking the event loop', async () => {
  const rules = times(100, (at) => ({
    id: `r${at}`,
    name: '',
    trigger: {
      type: 'temporal',
      states: ['A'],
      condition: { type: 'stateAge', threshold: { value: 1, unit: 'hours' } },
    },
    recipients: ['a'],
    notification: { subject: 's', body: 'x' },
  }));
  const ids = times(1_000, (at) => `agr_rules${at}`);
  await insertRecords(
    fixture.pool,
    principal,
    ids.map((id) => ({ id, notification_template: JSON.stringify({ metadata: { id }, rules }) })),
  );
  await inTransaction(fixture.database, async (transaction) => {
    const { result: weights, longestMs } = await measureLongestTurn(() =>
      readTransitionWeights(transaction, ids),
    );
    expect(longestMs).toBeLessThan(mostTurnMs);
    for (const id of ids) expect(weights(id)).toBeDefined();
  });
});
