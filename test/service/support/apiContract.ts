import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { closeSchema } from './closeSchema.ts';

/** An answer as received. */
export type Seen = {
  readonly method: string;
  /** Including the query, if there is one. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The sent body, if it must match the document too. */
  readonly sent?: string | undefined;
};

/** The promises in a running service's OpenAPI document. */
export type ApiContract = {
  readonly document: ContractDocument;
  /**
   * Throws an Error that lists how an answer differs from the document. If the answer is a success, the sent
   * body must match too.
   */
  check(seen: Seen): void;
};

const schemaShape = z.record(z.string(), z.unknown());
const headerShape = z.union([
  z.object({ $ref: z.string() }),
  z.object({ required: z.boolean(), schema: schemaShape }),
]);
type Schema = z.output<typeof schemaShape>;
const responseShape = z.looseObject({
  $ref: z.string().optional(),
  headers: z.record(z.string(), headerShape).optional(),
  content: z.record(z.string(), z.object({ schema: schemaShape })).optional(),
  links: z
    .record(z.string(), z.object({ operationId: z.string(), parameters: z.record(z.string(), z.string()) }))
    .optional(),
});
const parameterShape = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().optional(),
  example: z.union([z.string(), z.number()]).optional(),
  schema: schemaShape,
});
const operationShape = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  security: z.array(schemaShape),
  parameters: z.array(parameterShape).default([]),
  requestBody: z
    .object({
      content: z.object({ 'application/json': z.object({ schema: schemaShape, example: z.unknown() }) }),
    })
    .optional(),
  responses: z.record(z.string(), responseShape),
});
const documentShape = z.looseObject({
  info: z.looseObject({}),
  paths: z.record(z.string(), z.record(z.string(), operationShape)),
  components: z.looseObject({
    schemas: z.record(z.string(), schemaShape),
    headers: z.record(z.string(), headerShape),
    responses: z.record(z.string(), responseShape),
  }),
});
export type ContractDocument = z.output<typeof documentShape>;
export type Operation = z.output<typeof operationShape>;
type DocumentedResponse = z.output<typeof responseShape>;

/** With its headers, a longer target may exceed the maximum size of a request's head. */
const maxTarget = 12_000;

const contracts = new Map<string, Promise<ApiContract>>();

/** Call it before each test file: another service may answer at the same address by then. */
export function forgetContracts(): void {
  contracts.clear();
}

/** The contract of the service at this address. Reads it only once. */
export function readContract(baseUrl: string): Promise<ApiContract> {
  const known = contracts.get(baseUrl);
  if (known) return known;
  const reading = fetch(`${baseUrl}/v0/openapi.json`).then(async (response) =>
    createContract(documentShape.parse(await response.json())),
  );
  contracts.set(baseUrl, reading);
  // A service that does not answer yet may answer the next call.
  reading.catch(() => contracts.delete(baseUrl));
  return reading;
}

/** Calls a service, and checks the answer against its document. */
export async function fetchChecked(
  baseUrl: string,
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const contract = await readContract(baseUrl);
  const response = await fetch(`${baseUrl}${path}`, init);
  const { status, headers } = response;
  const text = await response.text();
  const sent = typeof init.body === 'string' ? init.body : undefined;
  contract.check({ method: init.method ?? 'GET', path, status, headers, text, sent });
  return { status, headers, text };
}

function createContract(document: ContractDocument): ApiContract {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, validateFormats: true }));
  const { schemas } = document.components;
  const remember = (compile: (schema: Schema) => ValidateFunction) => {
    const validators = new Map<Schema, ValidateFunction>();
    return (schema: Schema): ValidateFunction => {
      const validator = validators.get(schema) ?? compile(schema);
      validators.set(schema, validator);
      return validator;
    };
  };
  const closed = remember((schema) => ajv.compile(closeSchema(schema, schemas)));
  const asServed = remember((schema) => ajv.compile({ ...schema, components: { schemas } }));
  const listSchemaFaults = (value: unknown, validators: ValidateFunction[]): string[] => {
    const failed = validators.find((validate) => !validate(value));
    return failed ? [ajv.errorsText(failed.errors, { separator: '\n' })] : [];
  };
  const templates = Object.keys(document.paths).map((path) => ({ path, pattern: patternOf(path) }));
  templates.sort((a, b) => fixedLength(b.path) - fixedLength(a.path));
  const outside = (headers: Record<string, { required: boolean; schema: object }>): DocumentedResponse =>
    responseShape.parse({
      headers,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
    });

  const resolveHeader = (header: z.output<typeof headerShape>): { required: boolean; schema: Schema } => {
    if (!('$ref' in header)) return header;
    const target = document.components.headers[header.$ref.replace('#/components/headers/', '')];
    if (!target) throw new Error(`the document has no ${header.$ref}`);
    return resolveHeader(target);
  };

  const resolveResponse = (response: DocumentedResponse | undefined): DocumentedResponse | undefined => {
    if (response?.$ref === undefined) return response;
    const target = document.components.responses[response.$ref.replace('#/components/responses/', '')];
    if (!target) throw new Error(`the document has no ${response.$ref}`);
    return target;
  };

  const findTemplate = ({ path }: Seen) => {
    const [target = ''] = path.split('?', 1);
    return templates.find(({ pattern }) => pattern.test(target));
  };

  const findOperation = (seen: Seen): Operation | undefined => {
    const method = seen.method === 'HEAD' ? 'get' : seen.method.toLowerCase();
    return document.paths[findTemplate(seen)?.path ?? '']?.[method];
  };

  const findResponse = (seen: Seen): DocumentedResponse | undefined => {
    const { path, status } = seen;
    // The target is no path of the service, or no valid path at all.
    if (!findTemplate(seen)) return status === 404 || status === 400 ? outside({}) : undefined;
    // The server refuses a head that is too long before it looks for the route.
    if (status === 400 && path.length > maxTarget) return outside({});
    const operation = findOperation(seen);
    if (operation) return resolveResponse(operation.responses[status]);
    return status === 405 ? outside({ Allow: { required: true, schema: {} } }) : undefined;
  };

  const listFaults = (seen: Seen): string[] => {
    const response = findResponse(seen);
    if (!response) return ['this status is not documented'];
    const faults = Object.entries(response.headers ?? {}).flatMap(([name, header]) => {
      const { required, schema } = resolveHeader(header);
      const value = seen.headers.get(name);
      if (value === null) return required ? [`the header ${name} is missing`] : [];
      return listSchemaFaults(value, [closed(schema)]).map((fault) => `the header ${name}: ${fault}`);
    });
    if (seen.headers.get('x-request-id') === null) faults.push('the header X-Request-Id is missing');
    if (seen.method === 'HEAD') return faults;
    return [...faults, ...listBodyFaults(seen, response), ...listSentFaults(seen)];
  };

  const listBodyFaults = ({ headers, text }: Seen, { content }: DocumentedResponse): string[] => {
    if (!content) return text === '' ? [] : ['there is a body where none is documented'];
    const [type = ''] = (headers.get('content-type') ?? '').split(';', 1);
    const form = content[type];
    if (!form) return [`the type ${type} is not documented`];
    // The closed schema merges the schema's parts. The original schema also checks that each part alone
    // allows the answer.
    const validators = [asServed(form.schema), closed(form.schema)];
    return listSchemaFaults(/^application\/(\w+\+)?json$/.test(type) ? JSON.parse(text) : text, validators);
  };

  const listSentFaults = (seen: Seen): string[] => {
    const { status, sent } = seen;
    if (status >= 300 || sent === undefined || sent === '') return [];
    const body = findOperation(seen)?.requestBody;
    if (!body) return [];
    const { schema } = body.content['application/json'];
    return listSchemaFaults(JSON.parse(sent), [asServed(schema)]).map((fault) => `the body sent: ${fault}`);
  };

  return {
    document,
    check(seen) {
      // Another standard governs the preflight requests of browsers.
      if (seen.method === 'OPTIONS' && seen.status === 204) return;
      const faults = listFaults(seen);
      if (faults.length === 0) return;
      const { method, path, status, text } = seen;
      throw new Error(
        `${method} ${path} → ${status} is not as documented:\n${faults.join('\n')}\n${text.slice(0, 2_000)}`,
      );
    },
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function fixedLength(path: string): number {
  const parameter = path.indexOf('{');
  return parameter === -1 ? Number.MAX_SAFE_INTEGER : parameter;
}
