import pg from 'pg';
import type { Parameter } from './runPrepared.ts';

/** A prepared statement; its name stands for no other text. */
export type Statement = { readonly name: string; readonly text: string };

/** The values of one run, for `$1` and so on. */
export type RunValues = readonly Parameter[];

/** Rows as `pg` returns them; only the author of a statement knows their type. */
export type Rows = pg.QueryResult['rows'];

/** The results of the runs in order: all of them, or those before the error. */
export type RunsOutcome = { readonly results: readonly Rows[]; readonly error: Error | undefined };

type Column = { readonly name: string; readonly read: (text: string) => unknown };
type RowShape = { readonly columns: readonly Column[]; readonly blank: Readonly<Record<string, null>> };

/** The columns of the statements prepared on a connection, by name. */
const preparedOn = new WeakMap<pg.Connection, Map<string, RowShape>>();

/**
 * Runs of one statement that are sent together and answered in order, in one transaction; pass it to `query`
 * of a connection without pipeline. `pg` asks for the columns with each run. This asks only when it prepares
 * the statement; the database refuses a run whose columns have changed since. If a run has failed, release
 * the connection with the error.
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
  /** Set by `pg` if queries have a time-out: call it at the end. After the time-out `pg` calls `handleError`. */
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
      connection.parse({ name, text, types: [] }, true);
      connection.describe({ type: 'S', name }, true);
    }
    for (const values of this.#runs) {
      connection.bind({ statement: name, values: values.map(writeParameter) }, true);
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
    // Rows that could not be read are missing.
    if (this.#failure) return;
    this.#results.push(this.#rows);
    this.#rows = [];
    if (this.#results.length === 1) this.#prepared.set(this.#statement.name, this.#shape);
  }

  handleReadyForQuery(): void {
    if (!this.#failure && this.#results.length !== this.#runs.length)
      this.#failure = new Error('the database did not answer every statement');
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

/** A parameter in its wire form: a text, or bytes. */
function writeParameter(value: Parameter): string | Buffer | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return `{${value.map((item) => `"${String(item).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
