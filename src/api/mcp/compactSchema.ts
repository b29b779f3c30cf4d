import { z } from 'zod';

export type JsonSchema = { readonly [key: string]: unknown; readonly type: 'object' };

/** Keywords without use for agents, who pay for every character of a schema. */
const bounds = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);

/** The shortest JSON Schema of a tool's arguments or answer. */
export function compactSchema(shape: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { io: 'input' });
  return { ...stripped(schema, io), type: 'object' };
}

function stripped(schema: object, io: 'input' | 'output'): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (key === 'propertyNames') return [];
      if (key === 'additionalProperties' && (io === 'output' ? value === false : isEmpty(value))) return [];
      if ((key === 'minimum' || key === 'maximum') && bounds.has(value)) return [];
      return [[key, strip(value, io)]];
    }),
  );
}

function strip(value: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item, io));
  return typeof value === 'object' && value !== null ? stripped(value, io) : value;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
