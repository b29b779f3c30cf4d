import { z } from 'zod';
import { pick } from '../../support/random.ts';
import { pickHostile } from './hostile.ts';

type Schema = Readonly<Record<string, unknown>>;
const schemaShape = z.record(z.string(), z.unknown());
const childrenShape = z.record(z.string(), schemaShape);

/**
 * A value that a schema, with all references resolved, allows or almost allows. Uses the document's examples
 * if there are any.
 */
export function generateValue(schema: Schema, random: () => number): unknown {
  if (random() < 0.05) return pickHostile(random);
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return generateValue(schemaShape.parse(pick(random, options)), random);
  if (Array.isArray(schema.enum)) return pick(random, schema.enum);
  if (schema.const !== undefined) return schema.const;
  if (schema.example !== undefined && random() < 0.7) return schema.example;
  const type = Array.isArray(schema.type) ? pick(random, schema.type) : schema.type;
  if (type === 'integer' || type === 'number') return generateNumber(schema, random);
  if (type === 'boolean') return random() < 0.5;
  if (type === 'null') return null;
  if (type === 'array') return generateList(schema, random);
  if (type === 'object') return generateObject(schema, random);
  if (type === 'string') return generateText(schema, random);
  return pickHostile(random);
}

function generateNumber(schema: Schema, random: () => number): number {
  const least = typeof schema.minimum === 'number' ? schema.minimum : 0;
  const most = typeof schema.maximum === 'number' ? schema.maximum : least + 100;
  return pick(random, [least, most, least - 1, most + 1, Math.floor(least + random() * (most - least))]);
}

function generateText(schema: Schema, random: () => number): string {
  if (schema.format === 'date-time') return new Date(Math.floor(random() * 4e12)).toISOString();
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : 40;
  const length = pick(random, [0, 1, 8, Math.min(most, 3_000), Math.min(most + 1, 3_000)]);
  const digits = Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16)).join('');
  return pick(random, [`0x${digits}`, `0x${digits.slice(24)}`, digits, 'a@b.example', 'x'.repeat(length)]);
}

function generateList(schema: Schema, random: () => number): unknown[] {
  const items = schemaShape.safeParse(schema.items);
  const length = pick(random, [0, 1, 2, 3]);
  return Array.from({ length }, () => (items.success ? generateValue(items.data, random) : 1));
}

function generateObject(schema: Schema, random: () => number): Record<string, unknown> {
  const members = Object.entries(childrenShape.parse(schema.properties ?? {}));
  const required = Array.isArray(schema.required) ? schema.required : [];
  const chosen = members.filter(([name]) => random() < (required.includes(name) ? 0.97 : 0.5));
  return Object.fromEntries(chosen.map(([name, member]) => [name, generateValue(member, random)]));
}
