import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drizzleOptions } from '../../../src/platform/database/database.ts';
import { deliveryStatuses } from '../../../src/platform/database/tables/webhooks.ts';
import { writeFeedCursor } from '../../../src/records/events/feedCursor.ts';
import { listEvents } from '../../../src/records/events/listEvents.ts';
import { listDeliveries } from '../../../src/records/webhooks/listDeliveries.ts';
import { createManyRows, type ManyRows, planCases, principalId } from './support/manyRows.ts';
import { limit, measureList } from './support/pageCost.ts';
import { manyEvents, manySubscription, seedDeliveries, seedEvents } from './support/seed.ts';

const listed = z.array(z.unknown());

let rows: ManyRows;
beforeAll(async () => {
  rows = await createManyRows(async (writer) => {
    await seedEvents(writer, principalId);
    await seedDeliveries(writer, principalId);
  });
});
afterAll(() => rows?.close());

describe.each(planCases)('at 100,000 rows, with $state statistics and $mode,', ({ prepare, mode }) => {
  beforeAll(async () => {
    await prepare(rows.writer);
  });

  test.each([0, manyEvents / 2, manyEvents - 5, manyEvents])(
    'the feed of events after %i costs only its page',
    async (position) => {
      const explained = rows.explainedPool(mode);
      const after = writeFeedCursor({ principalId, position, eventId: undefined });
      const request = { principalId, after, limit };
      const found = Math.min(limit, manyEvents - position);
      const page = await listEvents(explained.pool, request);
      expect(listed.parse(JSON.parse(page.dataText))).toHaveLength(found);
      const { rowsRead, isCompiled, plans } = await measureList(explained, () =>
        listEvents(explained.pool, request),
      );
      expect(rowsRead, plans).toBeLessThan(2 * limit);
      expect(isCompiled, plans).toBe(false);
    },
  );

  // These statements have no name, so PostgreSQL plans them each time.
  test.skipIf(mode === 'force_generic_plan').each([undefined, ...deliveryStatuses])(
    'a page of deliveries of the status %s costs only its page',
    async (status) => {
      const explained = rows.explainedPool(mode);
      const database = drizzle(explained.pool, drizzleOptions);
      const reference = { id: manySubscription, principalId };
      const read = (cursor?: string) => listDeliveries(database, reference, { status, limit, cursor });
      const first = await read();
      const second = first.nextCursor === null ? undefined : await read(first.nextCursor);
      const ids = [...first.page, ...(second?.page ?? [])].map(({ id }) => id);
      const stored = await rows.writer.query<{ id: string }>(
        `select id from service.deliveries where subscription_id = $1 and ($2::text is null or status = $2)
        order by created_at desc, id desc limit ${2 * limit}`,
        [manySubscription, status],
      );
      expect(ids).toEqual(stored.rows.map(({ id }) => id));
      const { rowsRead, isCompiled, plans } = await measureList(explained, () =>
        read(first.nextCursor ?? undefined),
      );
      const branches = status === undefined ? deliveryStatuses.length : 1;
      expect(rowsRead, plans).toBeLessThan((branches + 3) * (limit + 2));
      expect(isCompiled, plans).toBe(false);
    },
  );
});
