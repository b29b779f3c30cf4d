import type { Issue } from './errors.ts';
import { IssueList } from './issueList.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** A JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object's own property, so that names such as `constructor` find nothing inherited. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * A place in a parsed JSON value that knows its path. Reading never changes the value. Issues go to a list
 * that all cursors of one reading share, and reading goes on. Null counts as absent.
 */
export class JsonCursor {
  readonly value: unknown;
  readonly path: string;
  readonly #issues: IssueList;

  constructor(value: unknown, path = '', issues = new IssueList()) {
    this.value = value;
    this.path = path;
    this.#issues = issues;
  }

  /** The issues found in this reading, by any of its cursors. */
  get issues(): readonly Issue[] {
    return this.#issues.items;
  }

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** The member of that name; absent if this is not an object or has no such member. */
  at(key: string): JsonCursor {
    return this.#child(isJsonObject(this.value) ? ownValue(this.value, key) : undefined, key);
  }

  /** Like `at`, for a required object; an absent object has no members. */
  member(key: string): JsonCursor {
    this.#expectObject();
    return this.at(key);
  }

  /** The names of an object's members in ECMAScript order. Absent: none. Anything else is refused. */
  keys(): string[] {
    return Object.keys(this.#expectObject() ?? {});
  }

  /** The items of an array. Absent: none. Anything else is refused. */
  items(): JsonCursor[] {
    if (this.isAbsent) return [];
    if (Array.isArray(this.value)) return this.value.map((item, index) => this.#child(item, index));
    this.refuse('must be an array');
    return [];
  }

  /** The text here; anything else is refused and gives undefined. */
  text(): string | undefined {
    if (typeof this.value === 'string') return this.value;
    this.refuse(this.isAbsent ? 'is missing' : 'must be text');
    return undefined;
  }

  refuse(message: string): void {
    this.#issues.add({ path: this.path, message });
  }

  #expectObject(): JsonObject | undefined {
    if (isJsonObject(this.value)) return this.value;
    if (!this.isAbsent) this.refuse('must be an object');
    return undefined;
  }

  #child(value: unknown, key: string | number): JsonCursor {
    return new JsonCursor(value, this.path === '' ? String(key) : `${this.path}.${key}`, this.#issues);
  }
}
