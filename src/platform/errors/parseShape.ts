import type { z } from 'zod';
import type { Issue } from '../../protocol/errors.ts';
import { listIssues } from '../../protocol/issueList.ts';
import { faultPath } from './faultPath.ts';

/** Where a value comes from; decides the wording for an unknown member. */
export type Place = 'path' | 'query' | 'body';

export type Parsed<Data> = { ok: true; data: Data } | { ok: false; issues: Issue[] };

export const unknownMember = {
  path: 'is not a path parameter of this route',
  query: 'is not a parameter of this route',
  body: 'is not a known field',
};

/** Its path would be that of its object. */
const namelessMember: Record<Place, string> = {
  path: 'has a path parameter without a name',
  query: 'has a parameter without a name',
  body: 'has a field without a name',
};

/** Parses a value by a schema. Reports up to a hundred issues in the service's words. */
export function parseShape<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: Place,
): Parsed<z.output<Schema>> {
  const result = schema.safeParse(value, { error: wording });
  if (result.success) return { ok: true, data: result.data };
  return { ok: false, issues: [...listIssues(readIssues(result.error.issues, place))] };
}

function* readIssues(issues: readonly z.core.$ZodIssue[], place: Place): Generator<Issue> {
  let mistyped: z.core.$ZodIssue | undefined;
  for (const issue of issues) {
    // Zod also measures text where a list is expected, and a list where text is expected.
    if (mistyped && isLength(issue) && isSamePlace(issue, mistyped)) continue;
    if (issue.code === 'invalid_type') mistyped = issue;
    const names = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') yield { path: faultPath(names), message: issue.message };
    else
      for (const key of issue.keys)
        yield key === ''
          ? { path: faultPath(names), message: namelessMember[place] }
          : { path: faultPath([...names, key]), message: unknownMember[place] };
  }
}

function isLength({ code }: z.core.$ZodIssue): boolean {
  return code === 'too_big' || code === 'too_small';
}

function isSamePlace({ path }: z.core.$ZodIssue, other: z.core.$ZodIssue): boolean {
  return path.length === other.path.length && path.every((name, index) => name === other.path[index]);
}

const kinds: Record<string, string> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  object: 'must be an object',
  record: 'must be an object',
  array: 'must be an array',
};

/** The wording if a schema has none of its own. */
function wording(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? `must be ${issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      return wordUnion(issue);
    case 'too_big':
      return issue.origin === 'string'
        ? `must have no more than ${issue.maximum} characters`
        : issue.origin === 'array'
          ? `must have no more than ${issue.maximum} items`
          : `must be ${issue.inclusive === false ? 'less' : 'no more'} than ${issue.maximum}`;
    case 'too_small':
      if (issue.origin === 'string' || issue.origin === 'array') return 'must not be empty';
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    default:
      return undefined;
  }
}

/** Only discriminated unions say which shapes exist. */
function wordUnion({
  input,
  discriminator,
  options,
}: {
  input?: unknown;
  discriminator?: string | undefined;
  options?: readonly unknown[];
}): string | undefined {
  if (discriminator === undefined || options === undefined) return undefined;
  const isMissing = isObject(input) && !Object.hasOwn(input, discriminator);
  return isMissing ? 'is missing' : oneOf(options);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function oneOf(values: readonly unknown[]): string {
  return `must be ${values.map((value) => JSON.stringify(value)).join(' or ')}`;
}
