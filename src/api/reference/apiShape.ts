import { z } from 'zod';

/** The parts of an OpenAPI document that the reference shows. */

export type Schema = z.output<typeof schemaShape>;
export const schemaShape = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  required: z.array(z.string()).optional(),
  enum: z.array(z.unknown()).optional(),
  get properties() {
    return z.record(z.string(), schemaShape).optional();
  },
  get items() {
    return schemaShape.optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), schemaShape]).optional();
  },
  get allOf() {
    return z.array(schemaShape).optional();
  },
  get anyOf() {
    return z.array(schemaShape).optional();
  },
  get oneOf() {
    return z.array(schemaShape).optional();
  },
});

const exampleShape = z.union([z.string(), z.number(), z.boolean()]).optional();
const contentShape = z.record(z.string(), z.object({ schema: schemaShape, example: z.unknown().optional() }));
const headerShape = z.object({
  $ref: z.string().optional(),
  description: z.string().optional(),
  required: z.boolean().optional(),
  example: exampleShape,
});
export type Header = z.output<typeof headerShape>;

const parameterShape = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  description: z.string().optional(),
  example: exampleShape,
  schema: schemaShape,
});
export type Parameter = z.output<typeof parameterShape>;

const responseShape = z.object({
  $ref: z.string().optional(),
  description: z.string().default(''),
  headers: z.record(z.string(), headerShape).default({}),
  content: contentShape.default({}),
});
export type ApiResponse = z.output<typeof responseShape>;

const operationShape = z.object({
  operationId: z.string().optional(),
  tags: z.array(z.string()).default([]),
  summary: z.string().default(''),
  description: z.string().default(''),
  security: z.array(z.unknown()).default([]),
  parameters: z.array(parameterShape).default([]),
  requestBody: z.object({ required: z.boolean().optional(), content: contentShape }).optional(),
  responses: z.record(z.string(), responseShape).default({}),
});
export type Operation = z.output<typeof operationShape>;

const pathsShape = z.record(z.string(), z.record(z.string(), operationShape));
export const apiShape = z.object({
  info: z.object({
    title: z.string(),
    version: z.string(),
    description: z.string().default(''),
    'x-limits': z.record(z.string(), z.unknown()).default({}),
  }),
  servers: z.array(z.object({ url: z.string() })).default([]),
  tags: z.array(z.object({ name: z.string(), description: z.string().default('') })).default([]),
  paths: pathsShape,
  webhooks: pathsShape.default({}),
  components: z.object({
    schemas: z.record(z.string(), schemaShape).default({}),
    headers: z.record(z.string(), headerShape).default({}),
    responses: z.record(z.string(), responseShape).default({}),
    securitySchemes: z.record(z.string(), z.looseObject({ description: z.string().default('') })).default({}),
  }),
});
export type Api = z.output<typeof apiShape>;

/** An operation with its method and path. */
export type Route = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** Whether the service sends the request and others answer it. */
  readonly isSent: boolean;
};
