import * as drizzle from 'drizzle-orm';
import * as pgCore from 'drizzle-orm/pg-core';
import { describe, expect, test } from 'vitest';
import {
  type EntityClass,
  entityKind,
  hasOwnEntityKind,
  is,
} from '../../../src/indexer/runtime/drizzleEntity.ts';

const { pgTable, alias } = pgCore;
const table = pgTable('samples', {
  integer: pgCore.integer().primaryKey(),
  bigint: pgCore.numeric(),
  text: pgCore.text(),
  json: pgCore.json(),
  jsonb: pgCore.jsonb(),
  time: pgCore.time(),
  timestamp: pgCore.timestamp(),
  timestampText: pgCore.timestamp({ mode: 'string' }),
  date: pgCore.date({ mode: 'date' }),
  dateText: pgCore.date(),
  uuid: pgCore.uuid(),
  list: pgCore.integer().array(),
});
const aliased = alias(table, 'others');
const query = new pgCore.QueryBuilder().select().from(table);
class OwnText extends pgCore.PgText<never> {
  static override readonly [drizzle.entityKind] = 'OwnText';
}
const values: unknown[] = [
  ...Object.values(drizzle.getTableColumns(table)),
  ...Object.values(drizzle.getTableColumns(aliased)),
  table,
  aliased,
  query,
  query.as('inner'),
  new drizzle.Param(1),
  new drizzle.StringChunk('a'),
  new drizzle.Name('a'),
  drizzle.sql`select ${1}`,
  drizzle.sql`select 1`.as('one'),
  drizzle.sql.placeholder('one'),
  Object.create(drizzle.View.prototype),
  Object.create(OwnText.prototype),
  // Of another copy of Drizzle: by its name alone.
  Object.create({ constructor: { [drizzle.entityKind]: 'PgText' } }),
  new Date(),
  [],
  {},
  Object.create({ constructor: undefined }),
  'text',
  1,
  null,
  undefined,
  () => 1,
];
const exported: unknown[] = [...Object.values(drizzle), ...Object.values(pgCore), OwnText];
const kinds = exported.filter(isKind);

describe('is', () => {
  test('says what Drizzle says, of each value and each kind, when asked first and again', () => {
    expect(kinds.length).toBeGreaterThan(100);
    for (const round of ['first', 'again'])
      for (const [at, value] of values.entries())
        for (const kind of kinds)
          expect(is(value, kind), `${round}: value ${at}, ${kind.name}`).toBe(
            drizzle.is(value, kind as never),
          );
  });

  test('says it whichever value comes after which', () => {
    for (const kind of kinds)
      for (const value of values.toReversed()) expect(is(value, kind)).toBe(drizzle.is(value, kind as never));
  });

  test('finds something of most kinds of value', () => {
    const found = values.filter((value) => kinds.some((kind) => is(value, kind)));
    expect(found.length).toBeGreaterThan(30);
  });

  test('refuses a class without a kind, each time', () => {
    for (const _ of ['first', 'again'])
      expect(() => is(table, Date as unknown as EntityClass)).toThrow(
        'the class Date is not a Drizzle entity: it has no kind',
      );
  });

  test('knows an object without a prototype for none of a kind', () => {
    expect(kinds.some((kind) => is(Object.create(null), kind))).toBe(false);
  });
});

test('the names of kinds are those of Drizzle', () => {
  expect([entityKind, hasOwnEntityKind]).toEqual([drizzle.entityKind, drizzle.hasOwnEntityKind]);
});

function isKind(value: unknown): value is EntityClass {
  return typeof value === 'function' && Object.hasOwn(value, drizzle.entityKind);
}
