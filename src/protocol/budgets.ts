import { type AgreementLimits, fixedLimits } from './documentLimits.ts';
import { IssueList } from './issueList.ts';
import { isJsonObject, type JsonObject, ownValue } from './jsonCursor.ts';
import { quote } from './quote.ts';
import { utf8Length } from './utf8.ts';

export type Counted = { readonly path: string; readonly count: number; readonly limit: number };

/** Counts the parts of a document and notes which limits are exceeded, each limit once. */
export class Budgets {
  readonly #issues = new IssueList();
  readonly #limits: AgreementLimits;
  #patterns = 0;
  #fields = 0;
  #issuers = 0;
  #describedBytes = 0;

  constructor(limits: AgreementLimits) {
    this.#limits = limits;
  }

  get issues() {
    return this.#issues.items;
  }

  /** Whether the number of items is within the limit. */
  count({ path, count, limit }: Counted): boolean {
    if (count > limit) this.#refuse(path, `must not have more than ${limit} items`);
    return count <= limit;
  }

  /** The names of an object if it has not too many members; too long names are left out. */
  names({ path, members, limit }: { path: string; members: JsonObject; limit: number }): string[] {
    const names = Object.keys(members);
    if (!this.count({ path, count: names.length, limit })) return [];
    return names.filter((name) => {
      const bytes = utf8Length(name);
      const isShort = bytes <= this.#limits.nameBytes;
      if (!isShort)
        this.#refuse(
          path,
          `has a name of ${bytes} bytes, ${quote(name)}, longer than ${this.#limits.nameBytes}`,
        );
      return isShort;
    });
  }

  text({ path, value, limit }: { path: string; value: unknown; limit: number }): void {
    if (typeof value !== 'string') return;
    const bytes = utf8Length(value);
    if (bytes > limit) this.#refuse(path, `must not exceed ${limit} bytes, it has ${bytes}`);
  }

  /** Counts the type and rules of a variable or field. Returns their bytes. */
  definition(path: string, value: unknown): number {
    if (!isJsonObject(value)) return 0;
    const [type, validation] = [ownValue(value, 'type'), ownValue(value, 'validation')];
    this.text({ path: `${path}.type`, value: type, limit: this.#limits.nameBytes });
    const ofType = typeof type === 'string' ? utf8Length(type) : 0;
    if (validation === undefined) return ofType;
    if (isJsonObject(validation) && ownValue(validation, 'pattern') !== undefined) this.#patterns += 1;
    if (this.#patterns > this.#limits.patterns)
      this.#refuse('', `must not have more than ${this.#limits.patterns} patterns`);
    const bytes = utf8Length(JSON.stringify(validation));
    const limit = fixedLimits.validationBytes;
    if (bytes > limit)
      this.#refuse(`${path}.validation`, `must not exceed ${limit} bytes as JSON, it has ${bytes}`);
    return ofType + bytes;
  }

  /** Counts the issuers of one more input. */
  issuers(count: number): void {
    this.#issuers += count;
    const limit = fixedLimits.issuers;
    if (this.#issuers > limit)
      this.#refuse('execution.inputs', `must not have more than ${limit} issuers together`);
  }

  /** Counts a field whose name, type and rules have this many bytes. */
  field(bytes: number): void {
    this.#fields += 1;
    this.#describedBytes += bytes;
    const [path, limit] = ['execution.inputs', fixedLimits.describedBytes];
    if (this.#fields > this.#limits.fields)
      this.#refuse(path, `must not have more than ${this.#limits.fields} fields together`);
    if (this.#describedBytes > limit)
      this.#refuse(
        path,
        `must not need more than ${limit} bytes for the names, types and rules of all fields`,
      );
  }

  #refuse(path: string, message: string): void {
    this.#issues.add({ path, message });
  }
}
