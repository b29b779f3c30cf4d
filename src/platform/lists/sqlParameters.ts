import type { Parameter } from '../database/runPrepared.ts';

/** The parameters of a statement that is put together piece by piece. */
export class SqlParameters {
  readonly values: Parameter[] = [];

  /** Adds a value and returns its place in the statement, such as `$4`. */
  add(value: Parameter): string {
    return `$${this.values.push(value)}`;
  }
}
