import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { waitUntil } from '../../support/waitUntil.ts';
import type { Lease } from '../support/leases.ts';
import { accept, type InputScene, startInputScene } from './support/inputScene.ts';

const hour = 3_600;

let scene: InputScene;
beforeAll(async () => {
  scene = await startInputScene();
});
afterEach(() => void vi.useRealTimers());
afterAll(() => scene?.close());

async function signUntil(lease: Lease, deadline: number) {
  return (await lease.sign({ ...accept, account: lease.tenant, deadline })).body;
}

test('an API whose clock alone is past the deadline of an input takes it', async () => {
  const lease = await scene.deploy();
  const body = await signUntil(lease, Math.floor(Date.now() / 1_000) + hour);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * hour * 1_000 });
  expect((await scene.submit(lease.id, body)).status).toBe(200);
});

test('an input whose deadline has passed is refused, even if the chain has made no block since', async () => {
  const lease = await scene.deploy();
  const deadline = Number((await scene.chain.client.getBlock()).timestamp);
  const body = await signUntil(lease, deadline);
  await waitUntil('its deadline has passed', async () => Date.now() / 1_000 >= deadline + 1);
  await scene.expectRefused(lease, body, 400, 'permit_expired');
});
