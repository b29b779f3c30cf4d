import { expect, test } from 'vitest';
import { isPrivateHost } from '../../../src/api/console/privateHost.ts';

test.each([
  '127.0.0.1:9464',
  '10.1.2.3',
  '[::1]:9464',
  'localhost:9464',
  'app.localhost',
  'api:9464',
  'api.internal',
  'worker.agreements.svc.cluster.local.:9464',
  'ops.example.org',
  'OPS.example.org:9464',
])('%s is an address, no public name, or allowed', (host) => {
  expect(isPrivateHost(host, ['ops.example.org'])).toBe(true);
});

test.each([
  undefined,
  '',
  'example.org:9464',
  'example.org.:9464',
  '127.0.0.1.example.org',
  'localhost.example.org',
  'ops.example.org.evil.example',
  'evil-ops.example.org',
  'a b',
])('%s may be the name of a stranger', (host) => {
  expect(isPrivateHost(host, ['ops.example.org'])).toBe(false);
});
