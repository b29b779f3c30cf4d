import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildReference } from '../../src/api/reference/buildReference.ts';
import { fetchChecked, readContract } from './support/apiContract.ts';
import { startTestService, type TestService } from './support/testService.ts';

let service: TestService;
let html: string;
let headers: Headers;
beforeAll(async () => {
  service = await startTestService();
  ({ text: html, headers } = await fetchChecked(service.baseUrl, '/v0/docs'));
});
afterAll(() => service?.close());

test('the reference is a public page that may load and run nothing', () => {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(html).not.toMatch(/<(script|link|img|iframe|object|embed|base|form)\b/i);
  expect(html).not.toMatch(/\s(on\w+|style|src)=/i);
});

test('it shows every route with its parameters, statuses and reasons, and every schema', async () => {
  const { document } = await readContract(service.baseUrl);
  for (const [path, methods] of Object.entries(document.paths))
    for (const { operationId, parameters, responses } of Object.values(methods)) {
      const [, section = ''] = html.split(`<section class="operation" aria-labelledby="${operationId}">`);
      const [shown = ''] = section.split('</section>');
      expect(shown, operationId).toContain(`<code>${path}</code>`);
      for (const { name } of parameters) expect(shown, operationId).toContain(`<code>${name}</code>`);
      for (const status of Object.keys(responses)) expect(shown, operationId).toContain(`>${status}</span>`);
      if ('500' in responses) expect(shown, operationId).toContain('>500</span> Internal error.');
    }
  for (const name of Object.keys(document.components.schemas))
    expect(html).toContain(`<h3 id="schema-${name}">`);
  for (const reason of ['stale_nonce', 'signature_mismatch', 'unsupported_chain'])
    expect(html).toContain(`<th scope="row"><code>${reason}</code></th>`);
  expect(html).toContain('<th scope="row"><code>rates.read.perSecond</code></th><td>100000</td>');
});

test('it shows the limits in words as one list', () => {
  const [, list = ''] = /<p>Limits in force:<\/p>\n<ul>\n([\s\S]*?)\n<\/ul>/.exec(html) ?? [];
  const items = list.split('\n');
  expect(items.length).toBeGreaterThan(10);
  for (const item of items) expect(item).toMatch(/^<li>[^-].*\.<\/li>$/);
});

test('every link within it leads somewhere, and no place has two of one name', () => {
  const ids = Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = Array.from(html.matchAll(/ href="#([^"]+)"/g), ([, target]) => target);
  expect(targets.length).toBeGreaterThan(100);
  expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
});

test("the document's texts are shown, never interpreted as markup", () => {
  const hostile = `"><script>alert(1)</script>\`<img src=x>\``;
  const page = buildReference({
    info: { title: hostile, version: hostile, description: hostile, 'x-limits': { [hostile]: hostile } },
    servers: [{ url: hostile }],
    tags: [{ name: hostile, description: hostile }],
    paths: {
      [hostile]: {
        get: {
          operationId: hostile,
          tags: [hostile],
          summary: hostile,
          description: hostile,
          parameters: [
            {
              name: hostile,
              in: hostile,
              description: hostile,
              example: hostile,
              schema: { enum: [hostile] },
            },
          ],
          responses: {
            [hostile]: {
              description: hostile,
              headers: { [hostile]: { description: hostile, example: hostile } },
              content: { [hostile]: { schema: { type: hostile, pattern: hostile } } },
            },
          },
        },
      },
    },
    components: { schemas: { [hostile]: { properties: { [hostile]: { description: hostile } } } } },
  });
  expect(page).toContain('&lt;script&gt;');
  expect(page).not.toMatch(/<(script|img)/);
});
