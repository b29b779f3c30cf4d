import type { Schema } from './apiOperations.ts';

/** The additional data, besides a schema, from which values are built. */
export type Meaning = {
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Values by member name. A name means the same everywhere. */
  readonly known: Readonly<Record<string, unknown>>;
  /** Leaves out members that are not required and have no known value. */
  readonly isPlain: boolean;
};

/** The sizes of texts and lists without a limit in their schema. */
const usualCharacters = 1_000;
const usualItems = 200;
/** The most characters of JSON in one list, because several lists must fit into one body. */
const mostOfList = 100_000;
const usualMembers = 200;

/** A value that fits a schema and is as large as allowed, within the size of one body. */
export function buildLargest(stated: Schema, meaning: Meaning): unknown {
  const schema = resolve(stated, meaning);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.at(-1);
  const [alternative] = schema.anyOf ?? schema.oneOf ?? [];
  if (alternative) return buildLargest(alternative, meaning);
  switch (firstType(schema)) {
    case 'object':
      return buildObject(schema, meaning);
    case 'array':
      return buildList(schema, meaning);
    case 'integer':
    case 'number':
      return schema.maximum ?? schema.example ?? 1;
    case 'boolean':
      return true;
    default:
      return buildText(schema);
  }
}

function resolve(schema: Schema, { schemas }: Meaning): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? {});
}

function firstType({ type, properties, items }: Schema): string | undefined {
  const named = typeof type === 'string' ? type : type?.find((one) => one !== 'null');
  return named ?? (properties ? 'object' : items ? 'array' : undefined);
}

function buildObject({ properties, required = [] }: Schema, meaning: Meaning): Record<string, unknown> {
  if (!properties)
    return Object.fromEntries(
      Array.from({ length: meaning.isPlain ? 0 : usualMembers }, (_, at) => [`m${at}`, 'x'.repeat(100)]),
    );
  const members = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    if (Object.hasOwn(meaning.known, name)) return [[name, meaning.known[name]]];
    if (meaning.isPlain && !required.includes(name)) return [];
    return [[name, buildLargest(schema, meaning)]];
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function buildList({ items, maxItems = usualItems }: Schema, meaning: Meaning): unknown[] {
  const item = buildLargest(items ?? {}, meaning);
  const fitting = Math.floor(mostOfList / ((JSON.stringify(item)?.length ?? 1) + 1));
  return new Array<unknown>(Math.max(1, Math.min(maxItems, fitting))).fill(item);
}

function buildText({ format, pattern, maxLength, example }: Schema): string {
  if (format === 'date-time') return '0001-01-01T00:00:00Z';
  if (format === 'uri') return 'http://127.0.0.1:9/'.padEnd(Math.min(maxLength ?? 0, 2_000), 'x');
  if (pattern?.includes('@')) return '@example.org'.padStart(Math.min(maxLength ?? 0, 254), 'x');
  if (typeof example === 'string') return example;
  return 'é'.repeat(maxLength ?? usualCharacters);
}
