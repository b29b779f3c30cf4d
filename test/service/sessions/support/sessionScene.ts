import { expect } from 'vitest';
import { newPortalLinkShape, sessionShape } from '../../../../src/api/shapes/sessionShapes.ts';
import { waitUntil } from '../../../support/waitUntil.ts';
import type { Answer } from '../../support/call.ts';
import { startTestService, type TestPrincipal } from '../../support/testService.ts';
import { createBrowser } from './browser.ts';

/** A browser requests this path to see whether it is let in. */
export const list = '/v0/agreements';

/** The API, a principal, and browsers that log in with its key or a portal link. The caller closes it. */
export async function startSessionScene() {
  const service = await startTestService();
  const principal = await service.createPrincipal();
  return {
    service,
    principal,
    close: service.close,
    newBrowser: () => createBrowser(service.baseUrl),
    /** A browser logged in with the principal's key. */
    async enter(body: object = {}, { key }: Pick<TestPrincipal, 'key'> = principal) {
      const browser = createBrowser(service.baseUrl);
      const answer = await browser.call('POST', '/v0/sessions', { body, headers: { 'x-api-key': key } });
      expect(answer.status).toBe(200);
      return { browser, session: sessionShape.parse(answer.body.data), answer };
    },
    async makeLink(body: object = {}, { call }: Pick<TestPrincipal, 'call'> = principal) {
      const answer = await call('POST', '/v0/sessions/links', { body });
      const link = newPortalLinkShape.parse(answer.body.data);
      return { link, secret: new URL(link.url).hash.slice(1) };
    },
    redeem: (secret: string, browser = createBrowser(service.baseUrl)) =>
      browser.call('POST', '/v0/sessions', { body: { link: secret } }),
    /** Makes the session end earlier, as if this time had passed. */
    age: (id: string, interval: string) =>
      service.handle.pool.query(
        `update service.sessions set expires_at = expires_at - $2::interval where id = $1`,
        [id, interval],
      ),
  };
}
export type SessionScene = Awaited<ReturnType<typeof startSessionScene>>;

export async function expectWithinASecond(status: number, ask: () => Promise<Answer>): Promise<void> {
  const changedAt = performance.now();
  await waitUntil(`the answer is ${status}`, async () => {
    const isLate = performance.now() - changedAt >= 1_000;
    const answer = await ask();
    if (isLate) expect(answer.status).toBe(status);
    return answer.status === status;
  });
}
