import { z } from '@hono/zod-openapi';

/** A request that works as it stands on a service that carried out the examples before it. */
export type Example = {
  /** What stands in the path, as documented; replaced by what `after` finds. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The example whose answer holds parts of this one's path: for each, where it stands there, as a JSON pointer. */
  readonly after?: { readonly operationId: string; readonly params: Readonly<Record<string, string>> };
};

/** The same parameters, documented with the values of an example. */
export function showExample(
  parameters: z.ZodObject,
  values: Readonly<Record<string, string>> = {},
): z.ZodObject {
  const shown = Object.entries(parameters.shape).map(([name, schema]) => {
    const example = values[name];
    const isPlain = example === undefined || !(schema instanceof z.ZodType);
    return [name, isPlain ? schema : schema.openapi({ param: { example } })] as const;
  });
  return z.strictObject(Object.fromEntries(shown));
}
