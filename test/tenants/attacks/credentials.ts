import { setTimeout as delay } from 'node:timers/promises';
import { type Attack, get, long, post, times, withRequests, writesPerSecond } from './attack.ts';
import { buildDocument, named } from './document.ts';

/** Large numbers of keys, links, secrets and signatures. */
export const credentials: readonly Attack[] = [
  withRequests('one key for many at once', ({ chainId }) => [
    post(
      '/agreements/validate',
      { agreement: buildDocument({ data: long('x', 400_000) }), chainId },
      { 'idempotency-key': 'one' },
    ),
  ]),
  {
    name: 'large answers, each under a key of its own',
    async run(scene) {
      let count = 0;
      const agreement = buildDocument({ variables: named(512, (at) => `v${at}`), data: long('x', 300_000) });
      const body = { agreement, chainId: scene.chainId, signer: `0x${'1'.repeat(40)}` };
      while (scene.isOn()) {
        const key = `${process.pid}-${Date.now()}-${count++}`;
        await scene.send(post('/agreements/deploy-typed-data', body, { 'idempotency-key': key }));
        await delay(1_000 / writesPerSecond);
      }
    },
  },
  withRequests('links made and made again', ({ recordId }) => [
    post(`/agreements/${recordId}/links`, { may: 'read', note: long('x', 500), expiresInSeconds: 1 }),
    post('/sessions/links', { label: long('x', 200), expiresInSeconds: 1 }),
    post('/sessions', { label: long('x', 200) }),
  ]),
  withRequests('secrets that nobody has', () =>
    times(50, (at) => ({
      ...get('/shared/agreement', { 'x-agreements-link': `agl_${String(at).padStart(64, '0')}` }),
      credential: 'signingLink' as const,
    })),
  ),
  withRequests('portal links that nobody has', () => [
    {
      ...post('/sessions', { link: `agp_${'0'.repeat(64)}` }, { 'x-agreements-session': '1' }),
      credential: 'none',
    },
  ]),
  withRequests('wallets that ask for messages', () =>
    times(50, (at) => ({
      ...post(
        '/wallet/challenges',
        { wallet: `0x${String(at).padStart(40, '0')}` },
        { 'x-agreements-session': '1' },
      ),
      credential: 'none' as const,
    })),
  ),
  withRequests('signatures of nobody over the largest values', ({ recordId }) => [
    post(`/agreements/${recordId}/input`, {
      ...{ inputId: 'go', signer: `0x${'1'.repeat(40)}`, deadline: Math.floor(Date.now() / 1_000) + 600 },
      values: Object.fromEntries(times(100, (at) => [`v${at}`, long('x', 2_000)])),
      signature: { v: 27, r: `0x${'1'.repeat(64)}`, s: `0x${'1'.repeat(64)}` },
    }),
  ]),
  withRequests('deployments that nobody has signed', ({ chainId }) => {
    const variables = named(512, (at) => `v${at}`);
    return [
      post('/agreements/deploy-with-permit', {
        agreement: buildDocument({ variables, data: long('x', 300_000) }),
        initValues: Object.fromEntries(Object.keys(variables).map((name) => [name, long('x', 400)])),
        ...{ chainId, displayName: 'x', signer: `0x${'1'.repeat(40)}` },
        deadline: Math.floor(Date.now() / 1_000) + 600,
        signature: { v: 27, r: `0x${'1'.repeat(64)}`, s: `0x${'1'.repeat(64)}` },
      }),
    ];
  }),
];
