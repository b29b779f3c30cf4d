import pg from 'pg';
import { forgetEldest } from './forgetEldest.ts';

/** A statement that is prepared under its name, which stands for no other text. */
export type Statement = { readonly name: string; readonly text: string };

/** What one run puts in place of `$1` and so on. */
export type RunValues = (string | Buffer | null)[];

/** Rows as `pg` hands them out, whose type nobody but the author of a statement knows. */
export type Rows = pg.QueryResult['rows'];

/** What the runs have returned, in their order: all of them, or those before the one that the error is about. */
export type RunsOutcome = { readonly results: readonly Rows[]; readonly error: Error | undefined };

type Column = { readonly name: string; readonly read: (text: string) => unknown };
type RowShape = { readonly columns: readonly Column[]; readonly blank: Readonly<Record<string, null>> };

/** Statements are put together of parts that callers choose: on a connection the eldest make place for new ones. */
const mostPrepared = 200;

/** What the statements return that are prepared on a connection, by their names. */
const preparedOn = new WeakMap<pg.Connection, Map<string, RowShape>>();

/**
 * Runs of one statement that go to the database together and are answered in their order, in one transaction: to be handed to a
 * connection of `pg`. What `pg` asks with each run, which columns the rows have, this asks only when it prepares the statement: the
 * database itself refuses to run one whose columns have changed since. A connection on which runs have failed may not be used again.
 */
export class PreparedRuns implements pg.Submittable {
  readonly #statement: Statement;
  readonly #runs: readonly RunValues[];
  readonly #done: (outcome: RunsOutcome) => void;
  readonly #results: Rows[] = [];
  #prepared = new Map<string, RowShape>();
  #shape: RowShape = { columns: [], blank: {} };
  #rows: Rows = [];
  #failure: Error | undefined;
  #isDone = false;
  /** Where the time of queries is limited, `pg` puts in here what it has to be told at their end; after that time it calls `handleError`. */
  callback: (() => void) | undefined;

  /** `done` is called once. */
  constructor(statement: Statement, runs: readonly RunValues[], done: (outcome: RunsOutcome) => void) {
    this.#statement = statement;
    this.#runs = runs;
    this.#done = done;
  }

  submit(connection: pg.Connection): void {
    const { name, text } = this.#statement;
    this.#prepared = preparedOn.get(connection) ?? this.#prepared;
    preparedOn.set(connection, this.#prepared);
    const known = this.#prepared.get(name);
    const { stream } = connection;
    stream.cork();
    if (known) this.#shape = known;
    else {
      const eldest = this.#prepared.size < mostPrepared ? undefined : forgetEldest(this.#prepared);
      if (eldest !== undefined) connection.close({ type: 'S', name: eldest }, true);
      connection.parse({ name, text, types: [] }, true);
      connection.describe({ type: 'S', name }, true);
    }
    for (const values of this.#runs) {
      connection.bind({ statement: name, values }, true);
      connection.execute(null, true);
    }
    connection.sync();
    stream.uncork();
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      read: pg.types.getTypeParser(dataTypeID),
    }));
    this.#shape = { columns, blank: Object.fromEntries(columns.map(({ name }) => [name, null])) };
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const { columns, blank } = this.#shape;
    const row: Record<string, unknown> = { ...blank };
    let index = 0;
    try {
      for (const { name, read } of columns) {
        const text = fields[index++] ?? null;
        if (text !== null) row[name] = read(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  handleCommandComplete(): void {
    // Rows that could not be read are missing from what came since.
    if (this.#failure) return;
    this.#results.push(this.#rows);
    this.#rows = [];
    if (this.#results.length === 1) this.#prepared.set(this.#statement.name, this.#shape);
  }

  handleReadyForQuery(): void {
    if (!this.#failure && this.#results.length !== this.#runs.length)
      this.#failure = new Error('The database has not answered each run.');
    this.#end(this.#failure);
  }

  handleError(error: Error): void {
    this.#end(error);
  }

  #end(error: Error | undefined): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.callback?.();
    this.#done({ results: this.#results, error });
  }
}
