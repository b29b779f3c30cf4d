import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureConsole } from '../../../src/cli/console/ensureConsole.ts';
import { startTestApi, startTestService, type TestApi, type TestService } from '../support/testService.ts';

let service: TestService;
let framed: TestApi;
let without: TestApi;
beforeAll(async () => {
  await ensureConsole();
  service = await startTestService();
  const start = (env: Record<string, string>) => startTestApi(service.databaseUrl, { env });
  [framed, without] = await Promise.all([
    start({ CONSOLE_FRAME_ANCESTORS: 'https://app.example, https://other.example' }),
    start({ CONSOLE: 'off' }),
  ]);
});
afterAll(async () => {
  await framed?.close();
  await without?.close();
  await service?.close();
});

const policy = (ancestors: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; frame-ancestors ${ancestors}`;
const ask = (path: string, baseUrl = service.baseUrl, headers: Record<string, string> = {}) =>
  fetch(baseUrl + path, { headers });

describe('the console', () => {
  test('is served under its policy, at every address below /console', async () => {
    for (const path of ['/console', '/console/', '/console/agreements/agr_0?x=1', '/console/sign']) {
      const page = await ask(path);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-security-policy')).toBe(policy(`'none'`));
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('cache-control')).toBe('no-cache');
      expect(await page.text()).toContain('<div id="console">');
    }
  });

  test('has files that are kept for ever, under names that change with them', async () => {
    const page = await (await ask('/console')).text();
    const [, path = ''] = /src="([^"]+\.js)"/.exec(page) ?? [];
    const script = await ask(path);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-encoding')).toBe('gzip');
    const plain = await ask(path, service.baseUrl, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await script.text());
    const etag = script.headers.get('etag') ?? '';
    expect((await ask(path, service.baseUrl, { 'if-none-match': etag })).status).toBe(304);
    expect((await ask('/console/assets/former-0.js')).status).toBe(404);
  });

  test('may be framed by those alone that the operator names', async () => {
    const page = await ask('/console', framed.baseUrl);
    expect(page.headers.get('content-security-policy')).toBe(
      policy('https://app.example https://other.example'),
    );
    expect(page.headers.get('x-frame-options')).toBeNull();
    const other = await ask('/v0/health', framed.baseUrl);
    expect(other.headers.get('x-frame-options')).toBe('DENY');
  });

  test('is left out if it is off, and accepts only GET', async () => {
    expect((await ask('/console', without.baseUrl)).status).toBe(404);
    expect((await fetch(`${service.baseUrl}/console`, { method: 'POST' })).status).toBe(405);
  });

  test('knows the chains of the installation', async () => {
    const settings = await (await ask('/console/settings.json')).json();
    expect(settings).toMatchObject({
      environment: 'testnet',
      publicBaseUrl: expect.stringMatching(/^http.*[^/]$/),
    });
    expect(settings).toHaveProperty('chains.0', {
      chainId: 59_141,
      name: 'Linea Sepolia',
      factory: '0x26Ff3AdEC23fC5778f190371B1CcCadDa74e26c8',
      confirmations: expect.any(Number),
    });
  });
});
