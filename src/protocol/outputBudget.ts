import { fixedLimits } from './documentLimits.ts';

/**
 * What compiling a document may still write. A document may refer to one text thousands of times; this bounds the time
 * and memory of all that follows.
 */
export class OutputBudget {
  #left = fixedLimits.outputCharacters;

  /** Whether there is room for a value; refuses the first one for which there is none. */
  take({ value, refuse }: { readonly value: unknown; readonly refuse: (message: string) => void }): boolean {
    if (this.#left < 0) return false;
    if (typeof value === 'string') this.#left -= value.length;
    if (this.#left >= 0) return true;
    const most = fixedLimits.outputCharacters;
    refuse(`makes the texts of all actions and initial values together longer than ${most} characters`);
    return false;
  }
}
