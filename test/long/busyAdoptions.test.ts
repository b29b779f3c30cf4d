import { expect, test } from 'vitest';
import { adopt, confirmations } from '../service/events/support/adopt.ts';
import {
  annotate,
  deployment,
  foreignToggle,
  input,
  type Scene,
} from '../service/projector/support/scene.ts';
import type { Fixture } from '../service/projector/support/setup.ts';
import { startSceneForEach } from '../service/support/startSceneForEach.ts';

let fixture: Fixture;
let scene: Scene;
startSceneForEach(
  (started) => {
    ({ fixture, scene } = started);
  },
  { confirmations },
);

test('beyond five thousand inputs that a reorg can reach, the earlier ones are history by their block', async () => {
  await scene.mine(deployment());
  await scene.mine(foreignToggle('5'));
  await scene.mine(...Array.from({ length: 2_500 }, () => input(annotate('busy'))));
  await scene.mine(...Array.from({ length: 2_500 }, () => input(annotate('busy'))));
  const { past } = await adopt({ fixture, scene });
  expect(past.finalBlock).toBe(2n);
  expect(past.recentInputs).toHaveLength(5_000);
  await scene.mine(input(annotate('more')));
  const next = await adopt({ fixture, scene });
  expect(next.past.finalBlock).toBe(3n);
  expect(next.past.recentInputs).toHaveLength(2_501);
});
