import { expect, test } from 'vitest';
import { findBreaks } from './support/findBreaks.ts';
import { type Migration, readMigrations, readSnapshots, type Table } from './support/snapshot.ts';

/** Migrations that an earlier running version would notice, with the reason why they are allowed. */
const excused: Readonly<Record<string, string>> = {
  '0002_larger_ids': 'no version was released before it: from a commit before it, stop the workers first',
  '0003_tenant_bounds': 'no version was released before it: from a commit before it, stop the workers first',
  '0004_own_evidence_proofs':
    'no version was released before it: from a commit before it, stop the APIs first',
  '0007_mail_turns': 'no version was released before it: from a commit before it, workers wait for the index',
  '0009_open_rows_of_one':
    'no version was released before it: from a commit before it, writes wait for the index',
  '0010_delivery_rounds':
    'no version was released before it: from a commit before it, releases and results of deliveries wait for the index, which has pending ones only: one read of the table',
};

const migrations = readMigrations();

test.each(migrations)('an earlier version goes on while $tag is made', ({ tag, ...migration }) => {
  const found = findBreaks(migration);
  if (tag in excused) expect(found, 'it needs no excuse').not.toEqual([]);
  else expect(found).toEqual([]);
});

test('whatever is excused is there', () => {
  const tags = migrations.map(({ tag }) => tag);
  expect(Object.keys(excused).filter((tag) => !tags.includes(tag))).toEqual([]);
});

/** A migration after the last one that changes the deliveries table. */
function change(edit: (table: Table) => void, statements: readonly string[] = []): Omit<Migration, 'tag'> {
  const before = readSnapshots().at(-1);
  if (!before) throw new Error('there are no migrations');
  const after = structuredClone(before);
  edit(find(after.tables, 'service.deliveries'));
  return { statements, before, after };
}

function find<Thing>(things: Record<string, Thing>, key: string): Thing {
  const thing = things[key];
  if (!thing) throw new Error(`there is no ${key}`);
  return thing;
}

const column = { name: 'added', type: 'text', notNull: false, primaryKey: false };
const index = { name: 'added', columns: [{ expression: 'record_id', isExpression: false }], isUnique: false };
const reference = { name: 'added', columnsFrom: ['error'] };

test.each<[string, (table: Table) => void]>([
  ['deliveries.error is gone', ({ columns }) => delete columns.error],
  [
    'deliveries.error is gone',
    ({ columns }) => {
      columns.reason = { ...find(columns, 'error'), name: 'reason' };
      delete columns.error;
    },
  ],
  [
    'deliveries.position was bigint and is integer',
    ({ columns }) => Object.assign(find(columns, 'position'), { type: 'integer' }),
  ],
  [
    'deliveries.error may not be null any more',
    ({ columns }) => Object.assign(find(columns, 'error'), { notNull: true, default: "''" }),
  ],
  [
    'deliveries.event_id may be null, which an earlier version does not expect',
    ({ columns }) => Object.assign(find(columns, 'event_id'), { notNull: false }),
  ],
  ['deliveries.status has no default any more', ({ columns }) => delete find(columns, 'status').default],
  [
    'deliveries.error is generated otherwise',
    ({ columns }) => Object.assign(find(columns, 'error'), { generated: { type: 'stored', as: "''" } }),
  ],
  [
    'deliveries.added is new and an earlier version does not fill it',
    ({ columns }) => Object.assign(columns, { added: { ...column, notNull: true } }),
  ],
  [
    'deliveries.added is new and is written to every row under a lock',
    ({ columns }) => Object.assign(columns, { added: { ...column, default: 'gen_random_uuid()' } }),
  ],
  ['deliveries loses deliveries_event', ({ uniqueConstraints }) => delete uniqueConstraints.deliveries_event],
  [
    'deliveries has to obey added',
    ({ uniqueConstraints }) =>
      Object.assign(uniqueConstraints, { added: { name: 'added', columns: ['record_id'] } }),
  ],
  [
    'deliveries has to obey added',
    ({ checkConstraints }) =>
      Object.assign(checkConstraints, { added: { name: 'added', value: "status <> ''" } }),
  ],
  ['deliveries has to obey added', ({ foreignKeys }) => Object.assign(foreignKeys, { added: reference })],
  [
    'deliveries has to obey added',
    ({ indexes }) => Object.assign(indexes, { added: { ...index, isUnique: true } }),
  ],
  ['deliveries is locked while added is built', ({ indexes }) => Object.assign(indexes, { added: index })],
  ['deliveries loses deliveries_due', ({ indexes }) => delete indexes.deliveries_due],
])('%s: an earlier version would notice', (found, edit) => {
  expect(findBreaks(change(edit))).toContain(found);
});

test('a table that is gone is found, and statements that the snapshots do not show', () => {
  const { before, after } = change(() => {});
  delete after.tables['service.deliveries'];
  const statements = [`-- For the new version.\nUPDATE "service"."records" SET "behind" = true`];
  expect(findBreaks({ statements, before, after })).toEqual([
    'a statement that changes more than the shape of tables: UPDATE "service"."records" SET "behind" = true',
    'deliveries is gone',
  ]);
});

test('additions do not break an earlier version', () => {
  const edit = ({ columns, foreignKeys }: Table) => {
    Object.assign(columns, {
      added: column,
      counted: { ...column, name: 'counted', type: 'integer', notNull: true, default: 0 },
      noted: { ...column, name: 'noted', type: 'timestamp with time zone', notNull: true, default: 'now()' },
    });
    Object.assign(foreignKeys, { added: { ...reference, columnsFrom: ['added'] } });
  };
  const migration = change(edit, ['ALTER TABLE "service"."deliveries" ADD COLUMN "added" text']);
  const { tables } = migration.after;
  tables['service.more'] = { ...find(tables, 'service.deliveries'), name: 'more', indexes: { added: index } };
  expect(findBreaks(migration)).toEqual([]);
});
