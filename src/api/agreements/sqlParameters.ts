/** The parameters of a statement that is put together piece by piece. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Adds a value and returns its place in the statement, such as `$4`. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}
