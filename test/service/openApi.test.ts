import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startTestService, type TestService } from './support/testService.ts';

const documentShape = z.object({
  openapi: z.literal('3.1.0'),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ security: z.array(z.unknown()), responses: z.record(z.string(), z.unknown()) }),
    ),
  ),
  components: z.object({
    schemas: z.record(z.string(), z.unknown()),
    securitySchemes: z.record(z.string(), z.unknown()),
  }),
});

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function readDocument(): Promise<{ text: string; document: z.output<typeof documentShape> }> {
  const response = await fetch(`${service.baseUrl}/v0/openapi.json`);
  const text = await response.text();
  return { text, document: documentShape.parse(JSON.parse(text)) };
}

test('the public document names every route with its method', async () => {
  const { document } = await readDocument();
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.toSorted()).toEqual([
    'DELETE /v0/webhooks/{id}',
    'GET /v0/agreements',
    'GET /v0/agreements/documents/{documentId}',
    'GET /v0/agreements/{id}',
    'GET /v0/agreements/{id}/inputs',
    'GET /v0/agreements/{id}/state',
    'GET /v0/events',
    'GET /v0/health',
    'GET /v0/openapi.json',
    'GET /v0/webhooks',
    'GET /v0/webhooks/{id}',
    'GET /v0/webhooks/{id}/deliveries',
    'PATCH /v0/webhooks/{id}',
    'POST /v0/agreements/deploy-typed-data',
    'POST /v0/agreements/deploy-with-permit',
    'POST /v0/agreements/import',
    'POST /v0/agreements/validate',
    'POST /v0/agreements/validate-template',
    'POST /v0/agreements/{id}/input',
    'POST /v0/agreements/{id}/input-typed-data',
    'POST /v0/webhooks',
    'POST /v0/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    'POST /v0/webhooks/{id}/recover',
    'POST /v0/webhooks/{id}/rotate-secret',
    'POST /v0/webhooks/{id}/test',
  ]);
});

test('every reference in it leads somewhere', async () => {
  const { text, document } = await readDocument();
  const names = Array.from(text.matchAll(/"#\/components\/schemas\/([^"]+)"/g), ([, name]) => name ?? '');
  expect(names).not.toHaveLength(0);
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...new Set(names)]));
});

test('all routes but those of the system ask for a key, and document the refusal', async () => {
  const { document } = await readDocument();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { security, responses } of Object.values(methods)) {
      const isOpen = path === '/v0/health' || path === '/v0/openapi.json';
      expect(security).toHaveLength(isOpen ? 0 : 2);
      expect('401' in responses).toBe(!isOpen);
    }
  }
});

test('the limits in force are told, and how callers learn what is left of them', async () => {
  const { text } = await readDocument();
  expect(text).toContain('a body has at most 1048576 bytes');
  expect(text).toContain('read 100000 times a second with bursts of 200000');
  for (const header of ['RateLimit-Policy', 'RateLimit', 'Retry-After', 'idempotency-key'])
    expect(text).toContain(`"${header}"`);
});
