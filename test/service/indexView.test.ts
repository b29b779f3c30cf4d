import { is } from 'drizzle-orm';
import { toSnakeCase } from 'drizzle-orm/casing';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, test } from 'vitest';
import * as index from '../../ponder.schema.ts';
import {
  indexChannel,
  indexViewNames,
  indexViewsSchemaName,
} from '../../src/platform/database/indexNames.ts';
import * as view from '../../src/platform/database/indexView.ts';

/** The columns by their names in the database, with their SQL types. */
function columnsOf(table: PgTable) {
  const { columns } = getTableConfig(table);
  return Object.fromEntries(
    columns.map((column) => {
      const type = column.getSQLType().replace('numeric(78, 0)', 'numeric(78)');
      return [toSnakeCase(column.name), { type, notNull: column.notNull }] as const;
    }),
  );
}

function tablesOf(module: Record<string, unknown>): Map<string, PgTable> {
  const tables = Object.values(module).filter((value) => is(value, PgTable));
  return new Map(tables.map((table) => [getTableConfig(table).name, table]));
}

const indexed = tablesOf(index);
const seen = tablesOf(view);

describe('the view of the index', () => {
  test('has the tables that readiness waits for', () => {
    expect([...seen.keys()].sort()).toEqual(indexViewNames);
  });

  test.each([...seen])(
    '%s has every column of the index, of the same type and as nullable',
    (name, table) => {
      const original = indexed.get(name);
      expect(original && columnsOf(original)).toEqual(columnsOf(table));
      expect(Object.keys(columnsOf(table)).length).toBeGreaterThan(3);
    },
  );

  test('lies in the schema that the channel of notifications is named after', () => {
    for (const table of seen.values()) expect(getTableConfig(table).schema).toBe(indexViewsSchemaName);
    expect(indexChannel).toBe('chain_index_live_query');
  });
});
