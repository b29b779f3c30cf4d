import pg from 'pg';

/** A statement with its parameters. Under a name it is prepared, and the name stands for no other text. */
export type Statement = {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: (string | Buffer | null)[];
};

/** Rows as `pg` hands them out, whose type nobody but the author of a statement knows. */
type Rows = pg.QueryResult['rows'];

type Column = { readonly name: string; readonly read: (text: string) => unknown };
type RowShape = { readonly columns: readonly Column[]; readonly blank: Readonly<Record<string, null>> };

const noRows: RowShape = { columns: [], blank: {} };

/** What the statements return that are prepared on a connection, by their names. */
const preparedOn = new WeakMap<pg.Connection, Map<string, RowShape>>();

/**
 * One run of a statement, to be handed to a connection of `pg`. What `pg` asks with each run, which columns the rows have, this asks
 * only when it prepares the statement: the database itself refuses to run one whose columns have changed since. A connection on
 * which a run has failed may not be used again.
 */
export class PreparedQuery implements pg.Submittable {
  readonly #statement: Statement;
  readonly #done: (error: Error | undefined, rows: Rows) => void;
  readonly #rows: Rows = [];
  #isPrepared = false;
  #shape: RowShape = noRows;
  #failure: Error | undefined;

  /** `done` is called once. */
  constructor(statement: Statement, done: (error: Error | undefined, rows: Rows) => void) {
    this.#statement = statement;
    this.#done = done;
  }

  submit(connection: pg.Connection): void {
    const { name = '', text, values } = this.#statement;
    const known = preparedOn.get(connection)?.get(name);
    this.#isPrepared = known !== undefined;
    if (known) this.#shape = known;
    const { stream } = connection;
    stream.cork();
    if (!known) connection.parse({ name, text, types: [] }, true);
    connection.bind({ statement: name, values }, true);
    if (!known) connection.describe({ type: 'P' }, true);
    connection.execute(null, true);
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
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  handleCommandComplete(_message: unknown, connection: pg.Connection): void {
    const { name } = this.#statement;
    if (name === undefined || this.#isPrepared) return;
    const prepared = preparedOn.get(connection) ?? new Map<string, RowShape>();
    preparedOn.set(connection, prepared.set(name, this.#shape));
  }

  handleReadyForQuery(): void {
    this.#done(this.#failure, this.#rows);
  }

  handleError(error: Error): void {
    this.#done(error, []);
  }
}
