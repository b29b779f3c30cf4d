import { afterEach, expect, test, vi } from 'vitest';
import type { FaultPoint } from '../../src/platform/supervision/faultPoint.ts';
import { type CrashScene, createCrashScene } from '../service/rules/support/crashScene.ts';
import { ruleOf } from '../service/rules/support/ruleScene.ts';
import type { WorkerProcess } from '../service/rules/support/workerProcess.ts';
import { waitUntil } from '../support/waitUntil.ts';

/** One test starts five workers one after the other. That takes up to half a minute on an idle machine. */
vi.setConfig({ testTimeout: 180_000 });

const rules = [ruleOf({ recipients: ['holder', '@observers'] }, 'email')];
const toggles = 3;
const mails = 2 * toggles;

let scene: CrashScene;
afterEach(() => scene.close());

/** The Message-IDs of all mails in this scene; they do not depend on the time of sending. */
async function readIds(): Promise<string[]> {
  const { rows } = await scene.pool.query<{ id: string }>('select firing_id as id from service.mails');
  return rows.map(({ id }) => `<${id}@service.example>`).toSorted();
}

/**
 * Where each worker is killed, one after the other, with the mails that the server has taken and those stored
 * as sent by then. The next worker continues from there.
 */
const places: { fault: `${FaultPoint}:${number}`; taken: number; noted: number }[] = [
  { fault: 'beforeMailSend:1', taken: 0, noted: 0 },
  { fault: 'beforeMailSend:3', taken: 2, noted: 2 },
  { fault: 'afterMailSend:1', taken: 3, noted: 2 },
  { fault: 'afterMailCommit:1', taken: 4, noted: 3 },
];

test('workers killed while sending mails: only a mail that was accepted but not stored is sent again', async () => {
  scene = await createCrashScene(rules);
  await scene.deploy();
  await scene.toggle(toggles);
  for (const { fault, taken, noted } of places) {
    expect(await scene.start(fault).exited, fault).toMatchObject({ signal: 'SIGKILL' });
    expect(scene.takenIds(), fault).toHaveLength(taken);
    expect((await scene.mails()).filter(({ status }) => status === 'sent')).toHaveLength(noted);
    await scene.expireLeases();
  }
  scene.start();
  await scene.awaitRest();
  const ids = scene.takenIds();
  expect([...new Set(ids)].toSorted()).toEqual(await readIds());
  expect(ids).toHaveLength(mails + 1);
  // The server took the third mail, but the worker had not stored that.
  expect(ids.slice(3)).toContain(ids[2]);
});

test('a worker killed while the server takes a mail: another one sends it again under its Message-ID', async () => {
  let victim: WorkerProcess | undefined;
  scene = await createCrashScene(rules, {
    async onTaken() {
      const killed = victim;
      victim = undefined;
      await killed?.kill();
    },
  });
  await scene.deploy();
  victim = scene.start();
  const { exited } = victim;
  await victim.ready();
  await scene.toggle(toggles);
  await exited;
  scene.start();
  await waitUntil('the mail is taken again', () => scene.server.received.length > 1);
  await scene.awaitRest();
  const ids = scene.takenIds();
  expect(ids.slice(1)).toContain(ids[0]);
  expect(ids).toHaveLength(mails + 1);
  expect([...new Set(ids)].toSorted()).toEqual(await readIds());
});
