import type { Parameter } from '../database/runPrepared.ts';

/** Collects the parameters of a statement that is built piece by piece. */
export class SqlParameters {
  readonly values: Parameter[] = [];

  /** Adds a value and returns its placeholder, such as `$4`. */
  add(value: Parameter): string {
    return `$${this.values.push(value)}`;
  }
}
