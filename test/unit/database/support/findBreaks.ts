import { isDeepStrictEqual } from 'node:util';
import type { Column, Migration, Table } from './snapshot.ts';

/** Statements whose effect the snapshots show, or that only say how rows are stored. */
const ofShape =
  /^(create (unlogged )?table|create (unique )?index|create sequence|drop index|drop table|alter table)\b/i;

/**
 * Changes that a process of the version before the migration would not survive, or would have to wait for:
 * changes of tables that it reads and writes. Tables that the migration creates do not count.
 */
export function findBreaks({ statements, before, after }: Omit<Migration, 'tag'>): string[] {
  const found = statements
    .map((statement) => statement.replace(/^\s*--.*$/gm, '').trim())
    .filter((statement) => statement !== '' && !ofShape.test(statement))
    .map((statement) => `a statement that changes more than the shape of tables: ${statement}`);
  for (const [key, table] of Object.entries(before.tables)) {
    const next = after.tables[key];
    if (!next) found.push(`${table.name} is gone`);
    else
      found.push(
        ...compareColumns(table, next),
        ...compareRules(table, next),
        ...compareIndexes(table, next),
      );
  }
  return found;
}

function compareColumns(before: Table, after: Table): string[] {
  const ofPresent = Object.entries(before.columns).flatMap(([key, column]) => {
    const name = `${before.name}.${column.name}`;
    const next = after.columns[key];
    if (!next) return [`${name} is gone`];
    return [
      next.type !== column.type && `${name} was ${column.type} and is ${next.type}`,
      next.notNull && !column.notNull && `${name} may not be null any more`,
      !next.notNull && column.notNull && `${name} may be null, which an earlier version does not expect`,
      next.notNull &&
        column.default !== undefined &&
        next.default === undefined &&
        `${name} has no default any more`,
      !isDeepStrictEqual([column.generated, column.identity], [next.generated, next.identity]) &&
        `${name} is generated otherwise`,
    ];
  });
  const ofNew = Object.entries(after.columns)
    .filter(([key]) => !(key in before.columns))
    .flatMap(([, column]) => {
      const name = `${after.name}.${column.name}`;
      return [
        column.notNull && !isFilled(column) && `${name} is new and an earlier version does not fill it`,
        isWrittenToAll(column) && `${name} is new and is written to every row under a lock`,
      ];
    });
  return [...ofPresent, ...ofNew].filter((text) => text !== false);
}

/** Whether PostgreSQL fills the column if an insert does not name it. */
function isFilled({ type, default: value, generated, identity }: Column): boolean {
  return value !== undefined || generated !== undefined || identity !== undefined || type.endsWith('serial');
}

/** PostgreSQL stores a constant default once for the whole table. Any other default rewrites every row. */
function isWrittenToAll({ type, default: value, generated, identity }: Column): boolean {
  const isCalled = typeof value === 'string' && value.includes('(') && value !== 'now()';
  return isCalled || generated !== undefined || identity !== undefined || type.endsWith('serial');
}

/**
 * Finds changed constraints, and lost ones that an earlier version's `on conflict` may need. A constraint on
 * new columns alone does not affect that version if it leaves them null.
 */
function compareRules(before: Table, after: Table): string[] {
  const [was, is] = [listRules(before), listRules(after)];
  const isWritten = (column: string) =>
    column in before.columns || after.columns[column]?.default !== undefined;
  return [
    ...[...was.keys()].filter((name) => !is.has(name)).map((name) => `${before.name} loses ${name}`),
    ...[...is].flatMap(([name, rule]) => {
      const earlier = was.get(name);
      if (earlier)
        return isDeepStrictEqual(earlier, rule) ? [] : [`${name} of ${before.name} says something else`];
      return rule.columns.length > 0 && !rule.columns.some(isWritten)
        ? []
        : [`${before.name} has to obey ${name}`];
    }),
  ];
}

/** A constraint that can refuse a row; without columns if they are unknown. */
type Rule = { columns: readonly string[]; rule: unknown };

/** All constraints that can refuse a row, by name. */
function listRules(table: Table): Map<string, Rule> {
  const { indexes, uniqueConstraints, compositePrimaryKeys, foreignKeys, checkConstraints } = table;
  const keys = [...Object.values(uniqueConstraints), ...Object.values(compositePrimaryKeys)];
  const uniqueIndexes = Object.values(indexes).filter(({ isUnique }) => isUnique);
  return new Map<string, Rule>([
    ...keys.map((rule) => [rule.name, { columns: rule.columns, rule }] as const),
    ...Object.values(foreignKeys).map((rule) => [rule.name, { columns: rule.columnsFrom, rule }] as const),
    ...Object.values(checkConstraints).map((rule) => [rule.name, { columns: [], rule }] as const),
    ...uniqueIndexes.map((rule) => {
      const isPlain = rule.columns.every(({ isExpression }) => !isExpression);
      const columns = isPlain ? rule.columns.map(({ expression }) => expression) : [];
      return [rule.name, { columns, rule }] as const;
    }),
  ]);
}

/**
 * Finds new and lost indexes. Building an index blocks writes to its table, except for a new table, which is
 * empty. Without an index made for it, an earlier version reads the whole table.
 */
function compareIndexes(before: Table, after: Table): string[] {
  const built = Object.entries(after.indexes)
    .filter(([key, index]) => !isDeepStrictEqual(before.indexes[key], index))
    .map(([, { name }]) => `${after.name} is locked while ${name} is built`);
  const lost = Object.entries(before.indexes)
    .filter(([key, { isUnique }]) => !isUnique && !(key in after.indexes))
    .map(([, { name }]) => `${before.name} loses ${name}`);
  return [...built, ...lost];
}
