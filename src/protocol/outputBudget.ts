import type { JsonCursor } from './jsonCursor.ts';

/**
 * Characters of the texts in all actions and initial variables together. A document may refer to one text thousands of
 * times, and each reference repeats it. No block has room for as much.
 */
const mostCharacters = 512 * 1024;

/** What compiling a document may still write. It bounds the time and memory of all that follows. */
export class OutputBudget {
  #left = mostCharacters;

  /** Whether there is room for a value at this place; refuses the place if there is none. */
  take(value: unknown, place: JsonCursor): boolean {
    if (this.#left >= 0 && typeof value === 'string') this.#left -= value.length;
    if (this.#left >= 0) return true;
    place.refuse(`makes the texts of actions and initial values longer than ${mostCharacters} characters`);
    return false;
  }
}
