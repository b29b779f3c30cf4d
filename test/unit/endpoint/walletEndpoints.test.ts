import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { AppEnv } from '../../../src/api/endpoint/appEnv.ts';
import type { ServeContext } from '../../../src/api/endpoint/serveEndpoint.ts';
import type { GuestServices } from '../../../src/api/guests/guestServices.ts';
import { createPageTurns } from '../../../src/api/limiting/pageTurns.ts';
import { getWalletAgreements } from '../../../src/api/routes/getWalletAgreements.ts';

test('the list of a wallet waits for other wallets, and takes no place of those who compute for principals', async () => {
  const wallet = `0x${'1'.repeat(40)}`;
  const services = { wallets: { authenticate: async () => ({ wallet }) } } as unknown as GuestServices;
  const asked: string[] = [];
  const serving = {
    largeTurns: { run: () => Promise.reject(new Error('a place of principals')) },
    pageTurns: createPageTurns(),
    walletTurns: {
      async run(owner: string) {
        asked.push(owner);
        return Response.json({ data: [], meta: {} });
      },
    },
    rateLimiter: {
      admit: async () => ({ isAdmitted: true, remaining: 1, resetSeconds: 1, retryAfterSeconds: 0 }),
    },
    limits: { trustedProxies: 0, rates: { read: { burst: 1, perSecond: 1 } } },
    chains: [],
    clientProfile: 'default',
  } as unknown as ServeContext;
  const endpoint = getWalletAgreements(services);
  const app = new Hono<AppEnv>().get('/v0/wallet/agreements', (context) => endpoint.serve(context, serving));
  expect((await app.request('/v0/wallet/agreements')).status).toBe(200);
  expect(asked).toEqual([wallet]);
});
