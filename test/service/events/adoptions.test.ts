import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ChainEvent } from '../projector/support/chain.ts';
import { clone, createScene, deployment, input, type Scene, toggle } from '../projector/support/scene.ts';
import { createFixture, emptyDatabase, type Fixture } from '../projector/support/setup.ts';
import { readFeed, summarise } from './support/readFeed.ts';

const confirmations = 3;
let fixture: Fixture;
let scene: Scene;
beforeAll(async () => {
  fixture = await createFixture();
});
beforeEach(async () => {
  await emptyDatabase(fixture);
  scene = await createScene(fixture, { confirmations });
});
afterAll(() => fixture.close());

/** An input that somebody else sends. */
const foreign = (brightness: string): ChainEvent => {
  const { signer: _none, ...sent } = input(toggle(brightness));
  return sent;
};

/** Adopts the agreement at the chain's head, as an import does, unless another block is given. */
const adopt = async (adoptedThrough = scene.chain().length) => {
  const { principalId, recordId } = await scene.askFor(clone);
  await fixture.pool.query('update service.records set adopted_through = $2 where id = $1', [
    recordId,
    adoptedThrough,
  ]);
  await scene.fold();
  return {
    recordId,
    async tell() {
      for (let count = 1; count < confirmations; count++) await scene.mine();
      return summarise((await readFeed(fixture.pool, principalId)).events);
    },
  };
};

test('a transition that a reorg puts into the block of an adoption is announced', async () => {
  await scene.mine(deployment());
  await scene.mine();
  const { recordId, tell } = await adopt();
  expect(await scene.record(recordId)).toMatchObject({ state: 'dark' });
  scene.drop(1);
  await scene.mine(foreign('5'));
  expect(await scene.record(recordId)).toMatchObject({ state: 'lit' });
  expect(await tell()).toEqual(['dark>lit toggle 1']);
});

test('a reorg that adds a transition after the history of an adoption announces that transition alone', async () => {
  const known = foreign('5');
  await scene.mine(deployment());
  await scene.mine(known);
  const { recordId, tell } = await adopt();
  scene.drop(1);
  await scene.mine(known, foreign('6'));
  expect(await scene.record(recordId)).toMatchObject({ state: 'dark', transitionCount: 2 });
  expect(await tell()).toEqual(['lit>dark toggle 2']);
});

test('a reorg that adds a transition within the history of an adoption announces all from there on', async () => {
  const known = foreign('5');
  await scene.mine(deployment());
  await scene.mine();
  await scene.mine(known);
  const { tell } = await adopt();
  scene.drop(2);
  scene.add(foreign('6'));
  await scene.mine(known);
  expect(await tell()).toEqual(['dark>lit toggle 1', 'lit>dark toggle 2']);
});

test('a reorg that moves the deployment of an adopted agreement announces a new transition alone', async () => {
  const created = deployment();
  const known = foreign('5');
  await scene.mine();
  await scene.mine(created, known);
  const { recordId, tell } = await adopt();
  scene.drop(2);
  scene.add(created, known);
  await scene.mine(foreign('6'));
  expect(await scene.record(recordId)).toMatchObject({ state: 'dark', transitionCount: 2 });
  expect(await tell()).toEqual(['lit>dark toggle 2']);
});

test('blocks up to an adoption that come late are history, even if a reorg has moved them', async () => {
  await scene.mine(deployment());
  await scene.mine(foreign('5'));
  const { recordId, tell } = await adopt(4);
  scene.drop(1);
  scene.add(foreign('6'));
  await scene.mine(foreign('7'));
  await scene.mine(foreign('8'));
  await scene.mine(foreign('9'));
  expect(await scene.record(recordId)).toMatchObject({ transitionCount: 4 });
  expect(await tell()).toEqual(['lit>dark toggle 4']);
});
