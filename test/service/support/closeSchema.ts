import { z } from 'zod';

type Schema = Readonly<Record<string, unknown>>;

const schemaShape = z.record(z.string(), z.unknown());
const schemasShape = z.record(z.string(), schemaShape);
const listShape = z.array(schemaShape);

/**
 * A documented schema for answers of this very version of the service: with everything in one piece, and without room for members
 * that are not documented, which clients have to leave for later versions.
 */
export function closeSchema(schema: Schema, components: Readonly<Record<string, Schema>>): Schema {
  const { $ref, allOf, ...own } = schema;
  if (typeof $ref === 'string') {
    const target = components[$ref.replace('#/components/schemas/', '')];
    if (!target) throw new Error(`the document has no ${$ref}`);
    return closeSchema(target, components);
  }
  if (allOf) {
    const parts = [...listShape.parse(allOf), own].map((part) => inline(part, components));
    return closeSchema(parts.reduce(merge, {}), components);
  }
  const close = (part: unknown) => closeSchema(schemaShape.parse(part), components);
  const closed: Record<string, unknown> = { ...own };
  for (const keyword of ['anyOf', 'oneOf', 'prefixItems'])
    if (own[keyword]) closed[keyword] = listShape.parse(own[keyword]).map(close);
  for (const keyword of ['items', 'additionalProperties'])
    if (typeof own[keyword] === 'object') closed[keyword] = close(own[keyword]);
  if (own.properties) {
    const properties = Object.entries(schemasShape.parse(own.properties));
    closed.properties = Object.fromEntries(properties.map(([name, part]) => [name, close(part)]));
    closed.additionalProperties ??= false;
  }
  return closed;
}

function inline(schema: Schema, components: Readonly<Record<string, Schema>>): Schema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return components[$ref.replace('#/components/schemas/', '')] ?? schema;
}

/** One object schema that asks for what both ask for; where both speak of one thing, the second narrows the first. */
function merge(first: Schema, second: Schema): Schema {
  const merged: Record<string, unknown> = { ...first, ...second };
  if (first.properties && second.properties) {
    const [before, after] = [schemasShape.parse(first.properties), schemasShape.parse(second.properties)];
    const both = Object.entries(after).map(([name, part]) => [name, merge(before[name] ?? {}, part)]);
    merged.properties = { ...before, ...Object.fromEntries(both) };
  }
  if (Array.isArray(first.required) && Array.isArray(second.required))
    merged.required = [...new Set([...first.required, ...second.required])];
  return merged;
}
