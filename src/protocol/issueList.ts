import type { Issue } from './errors.ts';

/** More would add nothing, and a hostile document could have a hundred thousand. */
export const maxIssues = 100;

/**
 * The issues found while reading, in order and each once: the first hundred, and a flag if there are more.
 * Issues beyond that cost nothing.
 */
export class IssueList {
  readonly #issues: Issue[] = [];
  readonly #keys = new Set<string>();
  #isFull = false;

  get items(): readonly Issue[] {
    return this.#isFull ? [...this.#issues, moreIssues] : this.#issues;
  }

  /** Whether there are more than listed. */
  get isFull(): boolean {
    return this.#isFull;
  }

  add({ path, message }: Issue): void {
    if (this.#isFull) return;
    const key = `${path}\n${message}`;
    if (this.#keys.has(key)) return;
    if (this.#issues.length === maxIssues) {
      this.#isFull = true;
      return;
    }
    this.#keys.add(key);
    this.#issues.push({ path, message });
  }
}

/** The last of a list that leaves issues out. */
export const moreIssues: Issue = { path: '', message: `has more issues than these ${maxIssues}` };

/** The issues in their order, each once, up to the list's limit. */
export function listIssues(issues: Iterable<Issue>): readonly Issue[] {
  const list = new IssueList();
  for (const issue of issues) {
    if (list.isFull) break;
    list.add(issue);
  }
  return list.items;
}
