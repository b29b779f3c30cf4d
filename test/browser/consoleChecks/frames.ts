import { createServer, type Server } from 'node:http';
import type { LocalStack } from '../../e2e/support/localStack.ts';
import { listenLocally } from '../../support/listenLocally.ts';
import { type ConsoleWorld, expectTrue } from './consoleWorld.ts';

/** A page of another product that frames the address in its query. */
export function createFramingPage(): Server {
  return createServer((request, response) => {
    const framed = new URL(request.url ?? '/', 'http://page').searchParams.get('framed');
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<iframe width="800" height="600" src="${framed}"></iframe>`);
  });
}

/**
 * The console works in a frame of the origin that the operator has named. No other page can frame any page of
 * the service.
 */
export async function frameConsole(world: ConsoleWorld, _local: LocalStack, named: string): Promise<void> {
  const other = await listenLocally(createFramingPage());
  // The browser reports refused frames as errors of the framing page, so nobody watches these pages.
  const context = await world.browser.newContext();
  const page = await context.newPage();
  const frame = async (origin: string, address: string) => {
    const framed = page.waitForEvent('framenavigated', (one) => one !== page.mainFrame());
    await page.goto(`${origin}/?framed=${encodeURIComponent(address)}`);
    return framed;
  };
  try {
    const { url } = await world.client.sessions.createLink({ expiresInSeconds: 600 });
    const shown = await frame(named, url);
    await shown.getByRole('heading', { name: 'Agreements' }).waitFor();
    const refused = [
      [other.url, '/console'],
      [other.url, '/console/sign'],
      [named, '/verify'],
      [named, '/v0/health'],
    ] as const;
    for (const [origin, path] of refused) {
      const blocked = await frame(origin, world.baseUrl + path);
      expectTrue(/^chrome-error:/.test(blocked.url()), `${origin} does not frame ${path}: ${blocked.url()}`);
    }
  } finally {
    await context.close();
    await other.close();
  }
}
