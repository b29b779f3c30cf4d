import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from './support/testService.ts';

let service: TestService;
beforeAll(async () => {
  const env = { RATE_LIMIT_READS: '', RATE_LIMIT_WRITES: '', PUBLIC_BASE_URL: 'http://127.0.0.1:3000' };
  service = await startTestService({ env });
});
afterAll(() => service.close());

test('openapi.json is what a service with default settings serves', async () => {
  const response = await fetch(`${service.baseUrl}/v0/openapi.json`);
  const text = `${JSON.stringify(await response.json(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../openapi.json');
});
