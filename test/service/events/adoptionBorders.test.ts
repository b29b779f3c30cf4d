import { expect, test } from 'vitest';
import {
  annotate,
  deployment,
  foreignToggle,
  input,
  type Scene,
  toggle,
} from '../projector/support/scene.ts';
import type { Fixture } from '../projector/support/setup.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { adopt, confirmations } from './support/adopt.ts';

let fixture: Fixture;
let scene: Scene;
startSceneForEach(
  (started) => {
    ({ fixture, scene } = started);
  },
  { confirmations },
);

test('a transition that a reorg puts before an adoption, which it follows, is announced', async () => {
  await scene.mine(deployment());
  await scene.mine();
  const { tell } = await adopt({ fixture, scene });
  await scene.fold();
  scene.drop(1);
  await scene.mine(foreignToggle('5'));
  expect(await tell()).toEqual(['dark>lit toggle 1']);
});

test('the same holds before the adoption is folded, and if the creation moves with it', async () => {
  const created = deployment();
  await scene.mine();
  await scene.mine(created);
  await scene.mine();
  const { tell, recordId } = await adopt({ fixture, scene });
  scene.drop(3);
  await scene.mine(created);
  await scene.mine(foreignToggle('5'));
  await scene.mine();
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed', stateBlockNumber: 2n });
  expect(await tell()).toEqual(['dark>lit toggle 1']);
});

test('a history that a reorg puts after its adoption is announced to nobody, in whatever order', async () => {
  const [one, two] = [foreignToggle('5'), foreignToggle('6')];
  await scene.mine(deployment());
  await scene.mine(one, two);
  const { tell } = await adopt({ fixture, scene });
  await scene.fold();
  scene.drop(1);
  await scene.mine(foreignToggle('7'));
  await scene.mine();
  await scene.mine(two);
  await scene.mine(one);
  expect(await tell()).toEqual(['dark>lit toggle 1']);
});

test('an input of the history that kept the state is announced to nobody if it changes it after a reorg', async () => {
  const known = input(annotate('seen'));
  await scene.mine(deployment());
  await scene.mine(known);
  const { past, tell } = await adopt({ fixture, scene });
  expect(past.recentInputs).toEqual([{ transactionHash: known.txHash, ordinal: 0 }]);
  await scene.fold();
  scene.drop(1);
  await scene.mine({ ...input(toggle('5')), txHash: known.txHash });
  expect(await tell()).toEqual([]);
});

test('a transition announced after an adoption is announced once, wherever reorgs put it', async () => {
  const later = foreignToggle('5');
  await scene.mine(deployment());
  await scene.mine();
  const { tell } = await adopt({ fixture, scene });
  await scene.fold();
  await scene.mine(later);
  expect(await tell()).toEqual(['dark>lit toggle 1']);
  scene.drop(4);
  await scene.mine(later);
  await scene.mine();
  expect(await tell()).toEqual(['dark>lit toggle 1']);
});

test('a transition that falls out before it is confirmed is announced to nobody', async () => {
  await scene.mine(deployment());
  await scene.mine();
  const { tell } = await adopt({ fixture, scene });
  await scene.fold();
  scene.drop(1);
  await scene.mine(foreignToggle('5'));
  scene.drop(1);
  await scene.mine();
  expect(await tell()).toEqual([]);
});

test('of two adoptions of one agreement, each tells what followed it', async () => {
  const between = foreignToggle('5');
  await scene.mine(deployment());
  const first = await adopt({ fixture, scene });
  await scene.fold();
  await scene.mine(between);
  const second = await adopt({ fixture, scene });
  await scene.fold();
  scene.drop(1);
  await scene.mine();
  await scene.mine(between);
  await scene.mine(foreignToggle('6'));
  expect(await first.tell()).toEqual(['dark>lit toggle 1', 'lit>dark toggle 2']);
  expect(await second.tell()).toEqual(['lit>dark toggle 2']);
});

test('what was final at an adoption is history by its block, even if a rebuilt index shows all anew', async () => {
  await scene.mine(deployment());
  await scene.mine(foreignToggle('5'));
  for (let count = 0; count < 61; count++) scene.add();
  const recent = foreignToggle('6');
  await scene.mine(recent);
  const { past, tell } = await adopt({ fixture, scene });
  expect(past).toEqual({
    latestBlock: 64n,
    finalBlock: 4n,
    recentInputs: [{ transactionHash: recent.txHash, ordinal: 0 }],
  });
  await scene.fold();
  await scene.mine(foreignToggle('7'));
  await fixture.pool.query(`update service.folded_blocks set hash = 'another'; update service.projections
    set compared_deployment = 'another'`);
  await scene.fold();
  expect(await tell()).toEqual(['dark>lit toggle 3']);
});
