import { readFileSync } from 'node:fs';
import { z } from 'zod';

const migrations = new URL('../../../../src/platform/database/migrations/', import.meta.url);

const columnShape = z.looseObject({
  name: z.string(),
  type: z.string(),
  notNull: z.boolean(),
  primaryKey: z.boolean(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  generated: z.looseObject({}).optional(),
  identity: z.looseObject({}).optional(),
});
const indexShape = z.looseObject({
  name: z.string(),
  columns: z.array(z.looseObject({ expression: z.string(), isExpression: z.boolean() })),
  isUnique: z.boolean(),
});
const uniqueShape = z.looseObject({ name: z.string(), columns: z.array(z.string()) });
const foreignKeyShape = z.looseObject({ name: z.string(), columnsFrom: z.array(z.string()) });
const tableShape = z.looseObject({
  name: z.string(),
  schema: z.string(),
  columns: z.record(z.string(), columnShape),
  indexes: z.record(z.string(), indexShape),
  foreignKeys: z.record(z.string(), foreignKeyShape),
  compositePrimaryKeys: z.record(z.string(), uniqueShape),
  uniqueConstraints: z.record(z.string(), uniqueShape),
  checkConstraints: z.record(z.string(), z.looseObject({ name: z.string(), value: z.string() })),
});
const snapshotShape = z.looseObject({ tables: z.record(z.string(), tableShape) });
const journalShape = z.object({ entries: z.array(z.object({ idx: z.int(), tag: z.string() })) });

/** All tables after a migration, as Drizzle stores them beside it. */
export type Snapshot = z.output<typeof snapshotShape>;
export type Table = z.output<typeof tableShape>;
export type Column = z.output<typeof columnShape>;

/** A committed migration: its statements, and the tables before and after it. */
export type Migration = {
  tag: string;
  statements: readonly string[];
  before: Snapshot;
  after: Snapshot;
};

/** The tables after each committed migration, in order. */
export function readSnapshots(): Snapshot[] {
  return readEntries().map(({ idx }) => {
    const text = read(`meta/${String(idx).padStart(4, '0')}_snapshot.json`);
    return snapshotShape.parse(JSON.parse(text));
  });
}

function readEntries() {
  return journalShape.parse(JSON.parse(read('meta/_journal.json'))).entries;
}

/** Every committed migration in order, from the second one on: no process runs during the first. */
export function readMigrations(): Migration[] {
  const entries = readEntries();
  const snapshots = readSnapshots();
  return entries.flatMap(({ tag }, at) => {
    const [before, after] = [snapshots[at - 1], snapshots[at]];
    if (!before || !after) return [];
    return [{ tag, statements: read(`${tag}.sql`).split('--> statement-breakpoint'), before, after }];
  });
}

const read = (path: string) => readFileSync(new URL(path, migrations), 'utf8');
