import { type Edit, editPonder } from './editPonder.ts';

const edits: ReadonlyMap<string, readonly Edit[]> = new Map([
  [
    'indexing/index.js',
    [
      [
        'client.event = event;\n                await executeEvent(event);',
        'client.event = event;\n                indexingCache.event = event;\n                await executeEvent(event);',
      ],
    ],
  ],
  [
    'indexing-store/cache.js',
    [
      [
        'const conditions = dedupe(Array.from(tablePredictions), ([key]) => key).map(([, prediction]) => getWhereCondition(table, prediction));',
        'const conditions = [...tablePredictions.values()];',
      ],
      ['.where(or(...conditions)), context)', '.where(hasKey(table, conditions)), context)'],
      [
        'const ESCAPE_REGEX =',
        `const hasKey = (table, keys) => {
    const columns = getPrimaryKeyColumns(table).map(({ js }) => ({ js, column: table[js] }));
    const lists = columns.map(({ js, column }) => sql\`\${sql.param(keys.map((key) => column.mapToDriverValue(key[js])))}::\${sql.raw(column.getSQLType())}[]\`);
    return sql\`(\${sql.join(columns.map(({ column }) => column), sql\`, \`)}) in (select * from unnest(\${sql.join(lists, sql\`, \`)}))\`;
};
const ESCAPE_REGEX =`,
      ],
    ],
  ],
]);

/**
 * Lets Ponder read the rows of a new block's events beforehand, in one statement by table, as it does for those of the past. There
 * it asks for keys one by one in one condition, which PostgreSQL plans in a time that grows with the square of their number.
 * Call it before Ponder is loaded.
 */
export function readAhead(): void {
  editPonder(edits);
}
