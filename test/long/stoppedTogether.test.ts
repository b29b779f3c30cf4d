import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProcess } from '../../src/platform/supervision/processIdentity.ts';
import { openStartScene, type StartScene } from '../e2e/support/startScene.ts';

let scene: StartScene;
beforeAll(async () => {
  scene = await openStartScene();
});
afterAll(() => scene?.close());

test('npm start ends with success, and starts nothing again, if all of its processes are asked to stop at once', async () => {
  // Worker and indexer end long before their turn.
  const { program, childPids } = await scene.startHealthy({ SHUTDOWN_GRACE_MS: '3000' });
  for (const pid of [program.pid, ...childPids]) process.kill(pid, 'SIGTERM');
  expect(await program.exited).toEqual({ code: 0, signal: null });
  expect(childPids.map((pid) => findProcess(pid))).toEqual([null, null, null]);
  expect(program.lines.filter((line) => line.includes('is started again'))).toEqual([]);
});
