import { expect, test } from 'vitest';
import { clone, deployment, foreignToggle, type Scene } from '../projector/support/scene.ts';
import type { Fixture } from '../projector/support/setup.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { readFeed, summarise } from './support/readFeed.ts';

const confirmations = 3;
let fixture: Fixture;
let scene: Scene;
startSceneForEach(
  (started) => {
    ({ fixture, scene } = started);
  },
  { confirmations },
);

/** Adopts the agreement at the chain's head, as an import does. `tell` confirms everything and reads the feed. */
const adopt = async () => {
  const { principalId, recordId } = await scene.askFor(clone);
  const head = scene.chain().length;
  await fixture.pool.query('update service.records set adopted_through = $2 where id = $1', [recordId, head]);
  await scene.fold();
  return async () => {
    for (let count = 1; count < confirmations; count++) await scene.mine();
    return summarise((await readFeed(fixture.pool, principalId)).events);
  };
};

test('a history that comes back in a later block than it fell out of is announced to nobody', async () => {
  const known = foreignToggle('5');
  await scene.mine(deployment());
  await scene.mine(known);
  await scene.mine();
  const tell = await adopt();
  scene.drop(2);
  await scene.mine();
  await scene.mine(known);
  expect(await tell()).toEqual([]);
});

test('a history that falls out and comes back twice is announced to nobody, and what follows it is', async () => {
  const known = foreignToggle('5');
  await scene.mine(deployment());
  await scene.mine(known);
  const tell = await adopt();
  scene.drop(1);
  await scene.mine(known);
  scene.drop(1);
  await scene.mine(known);
  await scene.mine(foreignToggle('6'));
  expect(await tell()).toEqual(['lit>dark toggle 2']);
});
