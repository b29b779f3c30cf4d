/** The parameters of a statement that is put together piece by piece. */
export class SqlParameters {
  readonly values: unknown[] = [];
  readonly #first: number;

  /** `first` is the number of the first parameter, where others stand before these. */
  constructor(first = 1) {
    this.#first = first;
  }

  /** Adds a value and returns its place in the statement, such as `$4`. */
  add(value: unknown): string {
    return `$${this.#first + this.values.push(value) - 1}`;
  }
}
