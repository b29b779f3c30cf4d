import { z } from '@hono/zod-openapi';

/** A request that works as it stands on a service that carried out the examples before it. */
export type Example = {
  /** What stands in the path, where its schema has no example; replaced by what `after` finds. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** The examples whose answers hold parts of this one's path. */
  readonly after?: readonly ExampleSource[];
};

/** Where in the answer of another operation a part of the path stands, as a JSON pointer. */
export type ExampleSource = {
  readonly operationId: string;
  readonly params: Readonly<Record<string, string>>;
};

/** The same parameters, documented with the values of an example. */
export function showExample(
  parameters: z.ZodObject,
  values: Readonly<Record<string, string | number>> = {},
): z.ZodObject {
  const shown = Object.entries(parameters.shape).map(([name, schema]) => {
    const example = values[name];
    const isPlain = example === undefined || !(schema instanceof z.ZodType);
    return [name, isPlain ? schema : schema.openapi({ param: { example } })] as const;
  });
  return z.strictObject(Object.fromEntries(shown));
}
