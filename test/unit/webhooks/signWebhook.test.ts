import { expect, test } from 'vitest';
import { signWebhook } from '../../../src/worker/deliverer/signWebhook.ts';

const secret = `whsec_${'0123456789abcdef'.repeat(4)}`;
const attempt = {
  eventId: 'evt_1',
  body: Buffer.from('{"id":"evt_1"}'),
  at: new Date('2026-01-01T00:00:00.999Z'),
  secrets: { own: secret, all: [secret] },
} as const;
/** Computed with OpenSSL. */
const own = 'sha256=525e413cc89347e8d568aea94764ab13df535a9fe5ff42537e30b57eb0aca4e2';
const standard = 'v1,s//ccr+IOy3MMZ5OmwHDfrDYTOnHMu/DHqhnhkShz1M=';

test('the headers of both families equal those of other programs', () => {
  expect(signWebhook({ ...attempt, profile: 'default' })).toEqual({
    'x-svc-webhook-id': 'evt_1',
    'x-svc-webhook-timestamp': '1767225600',
    'x-svc-webhook-signature': own,
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1767225600',
    'webhook-signature': standard,
  });
});

test('the profile of the hosted service changes the names of the own headers alone', () => {
  const signed = signWebhook({ ...attempt, profile: 'shodai' });
  expect(signed['x-shodai-webhook-signature']).toBe(own);
  expect(signed['webhook-signature']).toBe(standard);
  expect(Object.keys(signed).filter((name) => name.startsWith('x-svc'))).toEqual([]);
});

test('during the grace of a rotation the standard header lists both secrets, the current one first', () => {
  const current = `whsec_${'fedcba9876543210'.repeat(4)}`;
  const secrets = { own: secret, all: [current, secret] } as const;
  const signed = signWebhook({ ...attempt, secrets, profile: 'default' });
  expect(signed['x-svc-webhook-signature']).toBe(own);
  const [first, second] = (signed['webhook-signature'] ?? '').split(' ');
  expect(second).toBe(standard);
  expect(first).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
});
