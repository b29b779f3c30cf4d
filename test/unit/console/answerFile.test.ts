import { Hono } from 'hono';
import pg from 'pg';
import { expect, test } from 'vitest';
import { answerFile } from '../../../src/api/console/consoleRoutes.ts';
import { addOperatorRoutes } from '../../../src/api/console/operatorRoutes.ts';
import type { AppEnv } from '../../../src/api/endpoint/appEnv.ts';

const file = {
  body: new Uint8Array([1]),
  zipped: new Uint8Array([2]),
  contentType: 'text/css',
  etag: '"abc"',
  isHashed: true,
};
const app = new Hono<AppEnv>();
app.get('/file', (context) => answerFile(context, file, new Headers()));
const ask = (headers: Record<string, string>) => app.request('/file', { headers });

test.each([
  ['gzip', 'gzip'],
  ['br, GZIP;q=0.5', 'gzip'],
  ['*', 'gzip'],
  ['gzip;q=0', null],
  ['gzip;q=0, *', null],
  ['x-not-gzip', null],
  ['identity', null],
])('a reader that accepts %j gets the encoding %j', async (accepted, encoding) => {
  const response = await ask({ 'accept-encoding': accepted });
  expect(response.headers.get('content-encoding')).toBe(encoding);
});

test('the zipped form and the plain one have different tags', async () => {
  const [plain, zipped] = [await ask({}), await ask({ 'accept-encoding': 'gzip' })];
  expect(plain.headers.get('etag')).not.toBe(zipped.headers.get('etag'));
});

test('a reader that has the form already gets 304, whatever its proxy does to the tag', async () => {
  for (const accepted of ['identity', 'gzip']) {
    const etag = (await ask({ 'accept-encoding': accepted })).headers.get('etag') ?? '';
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await ask({ 'accept-encoding': accepted, 'if-none-match': known });
      expect(again.status, known).toBe(304);
      expect(again.headers.get('etag')).toBe(etag);
    }
    expect((await ask({ 'accept-encoding': accepted, 'if-none-match': '"x"' })).status).toBe(200);
  }
});

test('data for operators are never taken for a page', async () => {
  const operators = new Hono();
  addOperatorRoutes(operators, { pool: new pg.Pool(), describeTrace: undefined, allowedHosts: [] });
  for (const host of ['localhost', 'other.example']) {
    const { headers } = await operators.request('/operations/trace/x', { headers: { host } });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  }
});
