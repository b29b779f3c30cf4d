import { escapeHtml } from '../documents/escapeHtml.ts';
import type { Schema } from './apiShape.ts';
import { writeInline, writeTable } from './writeProse.ts';

const schemaPrefix = '#/components/schemas/';

export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

/** A schema as HTML: its type, and its members row by row; members of nested objects by their paths. */
export function writeSchema(caption: string, schema: Schema): string {
  const rows = listMembers(schema, '').map(({ path, schema: member, isRequired }) => [
    `<code>${escapeHtml(path)}</code>`,
    writeType(member),
    isRequired ? 'required' : 'optional',
    writeInline(member.description ?? ''),
  ]);
  if (rows.length === 0) return `<p class="type">${writeType(schema)}</p>`;
  const bases = (schema.allOf ?? []).filter(({ $ref }) => $ref !== undefined);
  const extended = bases.map((base) => `<p class="type">All of ${writeType(base)}, and:</p>`).join('\n');
  return `${extended}${writeTable(caption, ['Member', 'Type', 'Presence', 'Meaning'], rows)}`;
}

type Member = { path: string; schema: Schema; isRequired: boolean };

function listMembers(schema: Schema, prefix: string): Member[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]): Member[] => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const isRequired = schema.required?.includes(name) ?? false;
    const within = member.items ? listMembers(member.items, `${path}[]`) : listMembers(member, path);
    return [{ path, schema: member, isRequired }, ...within];
  });
  return [...own, ...(schema.allOf ?? []).flatMap((part) => listMembers(part, prefix))];
}

/** In words: the type, its limits, and a link if it has a name. */
export function writeType(schema: Schema): string {
  const { $ref, allOf, anyOf, oneOf, items } = schema;
  if ($ref?.startsWith(schemaPrefix)) {
    const name = $ref.slice(schemaPrefix.length);
    return `<a href="#${escapeHtml(schemaAnchor(name))}">${escapeHtml(name)}</a>`;
  }
  if (allOf) return allOf.map(writeType).join(' and ');
  if (anyOf ?? oneOf) return (anyOf ?? oneOf ?? []).map(writeType).join(' or ');
  if (schema.enum) return schema.enum.map(writeValue).join(' or ');
  if (schema.const !== undefined) return writeValue(schema.const);
  if (schema.not !== undefined) return 'absent';
  if (items) return `array of ${writeType(items)}${writeBounds(schema)}`;
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0)
    return `object of ${writeType(additionalProperties)}`;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'anything'];
  return `${types.map(escapeHtml).join(' or ')}${writeBounds(schema)}`;
}

const bounds = {
  format: 'format',
  pattern: 'matches',
  minimum: 'at least',
  exclusiveMinimum: 'more than',
  maximum: 'at most',
  minLength: 'characters at least',
  maxLength: 'characters at most',
  maxItems: 'items at most',
  default: 'default',
} as const;

function writeBounds(schema: Schema): string {
  const parts = Object.entries(bounds).flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : [`${words} ${writeValue(schema[keyword])}`],
  );
  return parts.length === 0 ? '' : `; ${parts.join(', ')}`;
}

function writeValue(value: unknown): string {
  return `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;
}
