import { z } from 'zod';

/** The parts of a JSON Schema that values are made from. */
export type Schema = {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: unknown;
  readonly items?: Schema | undefined;
  readonly maxItems?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly maximum?: number | undefined;
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly example?: unknown;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
};

const schemaShape: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    properties: z.record(z.string(), schemaShape).optional(),
    required: z.array(z.string()).optional(),
    items: schemaShape.optional(),
    maxItems: z.number().optional(),
    maxLength: z.number().optional(),
    maximum: z.number().optional(),
    pattern: z.string().optional(),
    format: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    anyOf: z.array(schemaShape).optional(),
    oneOf: z.array(schemaShape).optional(),
  }),
);

const contentShape = z.record(z.string(), z.looseObject({ schema: schemaShape.optional() }));

const operationShape = z.looseObject({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))).default([]),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), schema: schemaShape.default({}) }))
    .default([]),
  requestBody: z.looseObject({ content: contentShape }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: contentShape.optional() })),
});

const documentShape = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({ schemas: z.record(z.string(), schemaShape) }),
});

/** The kinds of access of a request. */
export const credentials = ['apiKey', 'bearer', 'session', 'signingLink', 'walletSession', 'none'] as const;
export type Credential = (typeof credentials)[number];

export type Parameter = { readonly name: string; readonly in: string; readonly schema: Schema };

/** A route from the OpenAPI document. */
export type Operation = {
  readonly operationId: string;
  readonly method: string;
  /** The path with its parameters in braces. */
  readonly path: string;
  readonly credentials: readonly Credential[];
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  /** The media types of its usual answer. */
  readonly mediaTypes: readonly string[];
};

/** The routes of an OpenAPI document, and the schemas that they use. */
export function readOperations(document: unknown): {
  operations: Operation[];
  schemas: Readonly<Record<string, Schema>>;
} {
  const { paths, components } = documentShape.parse(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, stated]): Operation => {
      const { operationId, security, parameters, requestBody, responses } = operationShape.parse(stated);
      const named = security.map((one) => Object.keys(one)[0] ?? 'none');
      const known = credentials.filter((credential) => named.includes(credential));
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        credentials: known.length > 0 ? known : ['none'],
        parameters,
        body: requestBody?.content['application/json']?.schema,
        mediaTypes: Object.keys(responses['200']?.content ?? {}),
      };
    }),
  );
  return { operations, schemas: components.schemas };
}

/** The route of a request; undefined if no route has its path. */
export function findOperation(
  operations: readonly Operation[],
  { method, path }: { method: string; path: string },
): Operation | undefined {
  const [asked = ''] = path.split('?', 1);
  const fits = operations.filter(
    (operation) => operation.method === method && patternOf(operation.path).test(asked),
  );
  // Fixed parts take precedence over parameters.
  return fits.toSorted((one, other) => countParameters(one.path) - countParameters(other.path))[0];
}

function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[.]/g, '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${escaped}$`);
}

function countParameters(path: string): number {
  return path.split('{').length;
}
