import { z } from '@hono/zod-openapi';

/** A request that works unchanged on a service that has run the earlier examples. */
export type Example = {
  /** Path parameters without an example in their schema; replaced by the results of `after`. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** Examples whose answers contain parts of this one's path. */
  readonly after?: readonly ExampleSource[];
};

/** The JSON pointer to a path parameter in another operation's answer. */
export type ExampleSource = {
  readonly operationId: string;
  readonly params: Readonly<Record<string, string>>;
};

/** The parameters, documented with an example's values. */
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
