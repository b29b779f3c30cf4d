import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ContractDocument, type Operation, readContract } from './support/apiContract.ts';
import { closeSchema } from './support/closeSchema.ts';
import { startTestService, type TestService } from './support/testService.ts';

let service: TestService;
let document: ContractDocument;
let text: string;
beforeAll(async () => {
  service = await startTestService();
  ({ document } = await readContract(service.baseUrl));
  text = JSON.stringify(document);
});
afterAll(() => service?.close());

const listOperations = (): { method: string; path: string; operation: Operation }[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

const combinedShape = z
  .object({ allOf: z.array(z.record(z.string(), z.unknown())).optional() })
  .or(z.array(z.unknown()).transform(() => ({ allOf: undefined })));

const publicPaths = ['/v0/health', '/v0/openapi.json', '/v0/docs', '/v0/evidence.schema.json'];

test('every operation has a name of its own, by which clients call it', () => {
  const names = listOperations().map(({ operation }) => operation.operationId);
  expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('every reference in it leads somewhere', () => {
  const names = Array.from(text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g), ([, kind = '', name = '']) => ({
    kind,
    name,
  }));
  expect(names).not.toHaveLength(0);
  const components: Record<string, unknown> = { ...document.components };
  expect(names.filter(({ kind, name }) => !(name in Object(components[kind])))).toEqual([]);
});

/**
 * Operations that not only principals may call, with the credentials that each accepts in addition to a key
 * or instead of it.
 */
const openOperations = new Map<string, readonly (string | undefined)[]>([
  ['createSession', ['apiKey', 'bearer', undefined]],
  ['endCurrentSession', ['session']],
  ...[
    'getSharedAgreement',
    'getSharedDocument',
    'getSharedState',
    'getSharedEvidence',
    'listSharedInputs',
    'makeSharedInputTypedData',
    'submitSharedInput',
    'makeSharedDeployTypedData',
    'deploySharedAgreement',
  ].map((name) => [name, ['signingLink', 'walletSession']] as const),
  ['previewPortalLink', [undefined]],
  ['createWalletChallenge', [undefined]],
  ['createWalletSession', [undefined]],
  ...['getWalletSession', 'endWalletSession', 'listWalletAgreements'].map(
    (name) => [name, ['walletSession']] as const,
  ),
]);

test('all routes but those of the system ask for a key or a session of one, and document the refusal', () => {
  for (const { path, operation } of listOperations()) {
    const isOpen = publicPaths.includes(path);
    const usual = isOpen ? [] : ['apiKey', 'bearer', 'session'];
    const ways = operation.security.map((way) => Object.keys(way)[0]);
    expect(ways, path).toEqual(openOperations.get(operation.operationId) ?? usual);
    expect('401' in operation.responses, path).toBe(!isOpen);
  }
});

test('a failure without reasons stands once in the document, and every route refers to it', () => {
  const shared = Object.keys(document.components.responses).map((name) => `#/components/responses/${name}`);
  const failures = listOperations().flatMap(({ operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) => (status >= '400' ? [response] : [])),
  );
  const referred = failures.flatMap(({ $ref }) => $ref ?? []);
  expect(shared).toEqual(expect.arrayContaining(['#/components/responses/InternalError']));
  expect(shared.toSorted()).toEqual([...new Set(referred)].toSorted());
  const written = failures.filter(({ $ref, description }) => $ref === undefined && description !== '');
  for (const { description } of written) expect(description).toMatch(/Reasons: `|unavailable/);
});

test('the signature of a permit may have either recovery value, which is a whole number', () => {
  expect(document.components.schemas.Signature).toMatchObject({
    properties: { v: { type: 'integer', enum: [27, 28] } },
  });
});

test('no part of a combined schema refuses what the other parts require', () => {
  const isStrict = (part: Record<string, unknown>): boolean =>
    typeof part.$ref === 'string'
      ? isStrict(document.components.schemas[part.$ref.replace('#/components/schemas/', '')] ?? {})
      : part.additionalProperties === false;
  const combined = listCombined(document);
  expect(combined).not.toHaveLength(0);
  expect(combined.filter((parts) => parts.some(isStrict))).toEqual([]);
});

test('the document has the current limits, and how callers learn what is left of them', () => {
  expect(text).toContain('- Request body: 1048576 bytes, ');
  expect(text).toContain('The first 65536 bytes of a response are read.');
  expect(text).toContain('1 on Linea Sepolia, 3 on Ethereum Sepolia, 1 on Base Sepolia');
  expect(text).toContain('Reads (GET and HEAD): 100000 a second for each principal, with bursts of 200000.');
  expect(document.info).toMatchObject({
    'x-limits': {
      bodyBytes: 1_048_576,
      rates: { read: { perSecond: 100_000 } },
      webhooks: { responseBytes: 65_536, confirmations: { 59141: 1, 11155111: 3, 84532: 1 } },
    },
  });
  for (const header of ['RateLimit-Policy', 'RateLimit', 'Retry-After', 'idempotency-key'])
    expect(text).toContain(`"${header}"`);
});

describe('examples', () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false }));
  const isFit = (schema: Record<string, unknown>, value: unknown) =>
    ajv.validate(closeSchema(schema, document.components.schemas), value);

  test('of parameters and bodies are what their schemas ask for', () => {
    for (const { operation } of listOperations()) {
      const { operationId, parameters, requestBody } = operation;
      for (const { name, schema, example } of parameters)
        if (example !== undefined) expect(isFit(schema, example), `${operationId} ${name}`).toBe(true);
      if (!requestBody) continue;
      const { schema, example } = requestBody.content['application/json'];
      expect(isFit(schema, example), `${operationId} body`).toBe(true);
    }
  });

  test('of paths are there for every parameter of them', () => {
    for (const { operation } of listOperations())
      for (const { in: place, name, schema, example } of operation.parameters)
        if (place === 'path')
          expect(example ?? schema.example, `${operation.operationId} ${name}`).toBeDefined();
  });
});

/** The parts of every schema that uses `allOf`. */
function listCombined(value: unknown): Record<string, unknown>[][] {
  if (typeof value !== 'object' || value === null) return [];
  const { allOf } = combinedShape.parse(value);
  return [...(allOf ? [allOf] : []), ...Object.values(value).flatMap(listCombined)];
}
