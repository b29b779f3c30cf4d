import pg from 'pg';

/** A statement with its parameters. Under a name it is prepared, and the name stands for no other text. */
export type Statement = {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: (string | Buffer | null)[];
};

/** Rows as `pg` hands them out, whose type nobody but the author of a statement knows. */
export type Rows = pg.QueryResult['rows'];

/** What statements have returned, in their order: of all of them, or of those before the one that the error is about. */
export type BatchOutcome = { readonly results: readonly Rows[]; readonly error: Error | undefined };

type Column = { readonly name: string; readonly read: (text: string) => unknown };
type RowShape = { readonly columns: readonly Column[]; readonly blank: Readonly<Record<string, null>> };

const noRows: RowShape = { columns: [], blank: {} };

/** What the statements return that are prepared on a connection, by their names. */
const preparedOn = new WeakMap<pg.Connection, Map<string, RowShape>>();

/**
 * Statements that go to the database together and are answered in their order, in one transaction: to be handed to a connection of
 * `pg`. What `pg` asks with each run, which columns the rows have, this asks only when it prepares a statement: the database itself
 * refuses to run one whose columns have changed since. A connection on which a batch has failed may not be used again.
 */
export class PreparedBatch implements pg.Submittable {
  readonly #statements: readonly Statement[];
  readonly #done: (outcome: BatchOutcome) => void;
  readonly #results: Rows[] = [];
  #prepared = new Map<string, RowShape>();
  #rows: Rows = [];
  #shape: RowShape = noRows;
  #failure: Error | undefined;

  /** `done` is called once. */
  constructor(statements: readonly Statement[], done: (outcome: BatchOutcome) => void) {
    this.#statements = statements;
    this.#done = done;
  }

  submit(connection: pg.Connection): void {
    this.#prepared = preparedOn.get(connection) ?? new Map<string, RowShape>();
    preparedOn.set(connection, this.#prepared);
    const preparing = new Set<string>();
    const { stream } = connection;
    stream.cork();
    for (const { name = '', text, values } of this.#statements) {
      const isKnown = this.#prepared.has(name) || preparing.has(name);
      if (!isKnown) connection.parse({ name, text, types: [] }, true);
      connection.bind({ statement: name, values }, true);
      if (!isKnown) connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
      if (name !== '') preparing.add(name);
    }
    connection.sync();
    stream.uncork();
    this.#expectRows();
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
    const name = this.#statements[this.#results.length]?.name;
    if (name !== undefined && !this.#prepared.has(name)) this.#prepared.set(name, this.#shape);
    this.#results.push(this.#rows);
    this.#expectRows();
  }

  handleReadyForQuery(): void {
    if (!this.#failure && this.#results.length !== this.#statements.length)
      this.#failure = new Error('The database has not answered each statement.');
    this.#done({ results: this.#results, error: this.#failure });
  }

  handleError(error: Error): void {
    this.#done({ results: this.#results, error });
  }

  /** What comes now are the rows of the next statement. */
  #expectRows(): void {
    this.#rows = [];
    this.#shape = this.#prepared.get(this.#statements[this.#results.length]?.name ?? '') ?? noRows;
  }
}
