import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AppEnv } from '../../../src/api/endpoint/appEnv.ts';
import { defineEndpoint, none } from '../../../src/api/endpoint/defineEndpoint.ts';
import type { ServeContext } from '../../../src/api/endpoint/serveEndpoint.ts';
import { createLargeTurns, type LargeTurns } from '../../../src/api/limiting/largeTurns.ts';
import { createPageTurns } from '../../../src/api/limiting/pageTurns.ts';
import { previewNotificationsEndpoint } from '../../../src/api/routes/postNotificationPreview.ts';
import { simulateRecordEndpoint } from '../../../src/api/routes/postRecordSimulation.ts';
import { simulateAgreementEndpoint } from '../../../src/api/routes/postSimulation.ts';
import { validateDeployment } from '../../../src/api/routes/validateDeployment.ts';
import { validateTemplate } from '../../../src/api/routes/validateTemplate.ts';
import type { Services } from '../../../src/records/agreements/services.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const mode = 'free_allowlist';
const modes = {
  'agreements.read': mode,
  'agreements.write': mode,
  'webhooks.read': mode,
  'webhooks.write': mode,
} as const;
const caller = { principalId: 'prn_one', keyId: 'key_one', modes };
const check = async () => caller;

/** What a route needs that nobody limits. */
const createServing = (largeTurns: LargeTurns) =>
  ({
    largeTurns,
    pageTurns: createPageTurns(),
    authenticator: { authenticate: async () => caller, check },
    rateLimiter: {
      admit: async () => ({ isAdmitted: true, remaining: 1, resetSeconds: 1, retryAfterSeconds: 0 }),
    },
    limits: {
      ...{ bodyBytes: 1_000, bodyValues: 100, agreementNesting: 64, trustedProxies: 0 },
      rates: { write: { burst: 1, perSecond: 1 }, read: { burst: 1, perSecond: 1 } },
    },
    chains: [],
    clientProfile: 'default',
  }) as unknown as ServeContext;

const services = { chains: [], limits: {} } as unknown as Services;

test.each([
  validateTemplate(services),
  validateDeployment(services, 'default'),
  simulateAgreementEndpoint(services),
  simulateRecordEndpoint(services),
  previewNotificationsEndpoint(services),
])('$operationId takes a turn however small its body is', async ({ operationId, call }) => {
  const turns = createLargeTurns();
  const asked: (boolean | undefined)[] = [];
  const serving = createServing({
    run(request, work) {
      asked.push(request.isHeavy);
      return turns.run(request, work);
    },
  });
  await call?.({ caller, check, requestId: operationId }, serving).catch(() => {});
  expect(asked).toEqual([true]);
});

/** Computations that run until they are told to end. */
function createComputing() {
  const ends: (() => void)[] = [];
  return {
    ends,
    async run(): Promise<Response> {
      await new Promise<void>((resolve) => ends.push(resolve));
      return Response.json({ data: null, meta: {} });
    },
  };
}

const parts = {
  method: 'post',
  path: '/v0/compute',
  operationId: 'compute',
  tag: 'Authoring',
  summary: '',
  params: none,
  query: none,
  body: z.strictObject({}),
  refusals: [],
  example: {},
  data: { schema: z.null(), description: '' },
} as const;

/** Two requests of one sender, one of which computes at a time. */
async function expectTurns(send: () => Promise<unknown>, ends: (() => void)[]) {
  const both = [send(), send()];
  await waitUntil('the first computes', () => ends.length === 1);
  // The event loop turns often enough for all that comes before a computation.
  for (let at = 0; at < 20; at++) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await waitUntil('the second computes', () => ends.length === 2);
  ends[1]?.();
  await Promise.all(both);
}

describe('a heavy request keeps its turn until its computation ends', () => {
  test('through its route, and called from within', async () => {
    for (const isRoute of [true, false]) {
      const { ends, run } = createComputing();
      const endpoint = defineEndpoint({
        ...parts,
        scope: null,
        isHeavy: true,
        handle: run,
      });
      const serving = createServing(createLargeTurns({ turnMs: 0 }));
      const app = new Hono<AppEnv>().post('/v0/compute', (context) => endpoint.serve(context, serving));
      const headers = { 'content-type': 'application/json' };
      const send = async () =>
        isRoute
          ? await app.request('/v0/compute', { method: 'POST', headers, body: '{}' })
          : await endpoint.call?.({ caller, check, requestId: 'req_1', body: {} }, serving);
      await expectTurns(send, ends);
    }
  });
});
