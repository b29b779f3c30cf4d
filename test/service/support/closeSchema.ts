import { z } from 'zod';

type Schema = Readonly<Record<string, unknown>>;

const schemaShape = z.record(z.string(), z.unknown());
const schemasShape = z.record(z.string(), schemaShape);
const listShape = z.array(schemaShape);

/**
 * A documented schema for answers of exactly this version of the service: with all references resolved, and
 * without undocumented members. Clients must tolerate such members from later versions.
 */
export function closeSchema(schema: Schema, components: Readonly<Record<string, Schema>>): Schema {
  return convert(schema, components, (object) => ({ additionalProperties: false, ...object }));
}

/** A documented schema with all references resolved. */
export function resolveSchema(schema: Schema, components: Readonly<Record<string, Schema>>): Schema {
  return convert(schema, components, (object) => object);
}

/** Calls `change` for every object schema with properties. */
function convert(
  schema: Schema,
  components: Readonly<Record<string, Schema>>,
  change: (object: Schema) => Schema,
): Schema {
  const { $ref, allOf, ...own } = schema;
  if (typeof $ref === 'string') return convert(inline(schema, components), components, change);
  if (allOf) {
    const parts = [...listShape.parse(allOf), own].map((part) => inline(part, components));
    return convert(parts.reduce(merge, {}), components, change);
  }
  const go = (part: unknown) => convert(schemaShape.parse(part), components, change);
  const converted: Record<string, unknown> = { ...own };
  for (const keyword of ['anyOf', 'oneOf', 'prefixItems'])
    if (own[keyword]) converted[keyword] = listShape.parse(own[keyword]).map(go);
  for (const keyword of ['items', 'additionalProperties'])
    if (typeof own[keyword] === 'object') converted[keyword] = go(own[keyword]);
  if (!own.properties) return converted;
  const properties = Object.entries(schemasShape.parse(own.properties));
  converted.properties = Object.fromEntries(properties.map(([name, part]) => [name, go(part)]));
  return change(converted);
}

/** @throws Error if the document does not have the name. */
function inline(schema: Schema, components: Readonly<Record<string, Schema>>): Schema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const target = components[$ref.replace('#/components/schemas/', '')];
  if (!target) throw new Error(`the document has no ${$ref}`);
  return target;
}

/**
 * Merges two object schemas: the result requires what both require. If both define a property, the second
 * narrows the first.
 */
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
