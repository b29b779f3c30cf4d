import { expect, test } from 'vitest';
import { annotate, clone, deployment, input, lamp, type Scene, toggle } from '../projector/support/scene.ts';
import * as service from '../projector/support/serviceRows.ts';
import { createFolder, type Fixture } from '../projector/support/setup.ts';
import { startSceneForEach } from '../support/startSceneForEach.ts';
import { readFeed, summarise } from './support/readFeed.ts';

let fixture: Fixture;
let scene: Scene;
startSceneForEach((started) => {
  ({ fixture, scene } = started);
});

const readTold = async (principalId = scene.principalId) =>
  (await readFeed(fixture.pool, principalId)).events;
const tellShort = async (principalId?: string) => summarise(await readTold(principalId));

test('the deployment and every input that changed the state are announced once, in order', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')), input(toggle('6')));
  await scene.mine(input(toggle('7')));
  const events = await readTold();
  expect(summarise(events)).toEqual([
    '>dark __deploy 0',
    'dark>lit toggle 1',
    'lit>dark toggle 2',
    'dark>lit toggle 3',
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  for (const { type, data } of events) {
    expect(type).toBe('agreement.transitioned');
    const { agreementId, agreementName, templateId } = data;
    expect({ agreementId, agreementName, templateId }).toEqual({
      agreementId: recordId,
      agreementName: 'A lamp',
      templateId: 'did:template:lamp',
    });
  }
});

test('an input that keeps the state is not announced', async () => {
  await scene.draft();
  await scene.mine(deployment(), input(annotate('bright')));
  await scene.mine(input(annotate('brighter')));
  expect(await tellShort()).toEqual(['>dark __deploy 0']);
});

test('inputs that never passed through this service are announced like its own', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  await scene.submit(recordId, toggle('5'), { nonce: 0n });
  await scene.mine(input(toggle('5')));
  const { signer: _none, ...direct } = input(toggle('6'));
  await scene.mine(direct);
  await scene.mine(input(toggle('7'), { isIndirect: true }));
  expect(await tellShort()).toEqual([
    '>dark __deploy 0',
    'dark>lit toggle 1',
    'lit>dark toggle 2',
    'dark>lit toggle 3',
  ]);
});

test('several inputs of one transaction are announced one by one', async () => {
  await scene.draft();
  const txHash = deployment().txHash;
  await scene.mine(deployment());
  await scene.mine(
    input(toggle('5'), { txHash }),
    input(toggle('6'), { txHash }),
    input(toggle('7'), { txHash }),
  );
  const events = await readTold();
  expect(events.map(({ data }) => data.sequence)).toEqual([0, 1, 2, 3]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(4);
});

test('a deployment and inputs that one block holds keep their order', async () => {
  await scene.draft();
  await scene.mine(deployment(), input(toggle('5')), input(toggle('6')));
  expect((await readTold()).map(({ data }) => data.sequence)).toEqual([0, 1, 2]);
});

test('a Draft whose agreement is not on the chain announces nothing', async () => {
  await scene.draft();
  await scene.mine();
  expect(await tellShort()).toEqual([]);
});

test('for an adopted agreement only transitions after its adoption are announced, and never its deployment', async () => {
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  const { principalId, recordId } = await scene.askFor(clone);
  const adoptedThrough = scene.chain().length;
  await fixture.pool.query('update service.records set adopted_through = $2 where id = $1', [
    recordId,
    adoptedThrough,
  ]);
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({ status: 'Deployed', transitionCount: 1 });
  expect(await tellShort(principalId)).toEqual([]);
  await scene.mine(input(toggle('6')));
  expect(await tellShort(principalId)).toEqual(['lit>dark toggle 2']);
});

test('for an adopted agreement an own input is announced, even if a reorg puts it before the adoption', async () => {
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  await scene.mine();
  const { principalId, recordId } = await scene.askFor(clone);
  await fixture.pool.query('update service.records set adopted_through = 3 where id = $1', [recordId]);
  await scene.fold();
  await scene.submit(recordId, toggle('6'), { nonce: 1n });
  scene.drop(1);
  await scene.mine(input(toggle('6')));
  await scene.mine();
  expect(await scene.record(recordId)).toMatchObject({ stateBlockNumber: 3n, transitionCount: 2 });
  expect(await tellShort(principalId)).toEqual(['lit>dark toggle 2']);
});

test('principals with the same agreement each get its events, with different ids', async () => {
  const first = await scene.draft();
  const other = await service.insertPrincipal(fixture.database);
  await service.insertRecord(fixture.database, {
    principalId: other,
    chainId: 59141,
    lamp,
    deployTransactionId: first.transactionId,
  });
  await scene.mine(deployment(), input(toggle('5')));
  const [own, theirs] = [await readTold(), await readTold(other)];
  expect(summarise(own)).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
  expect(summarise(theirs)).toEqual(summarise(own));
  expect(new Set([...own, ...theirs].map(({ id }) => id)).size).toBe(4);
});

test('an event is there if and only if the state is that it announces', async () => {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  scene.add(input(toggle('5')));
  await scene.show();
  await fixture.pool.query(`
    create function service.refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no events today'; end $$;
    create trigger refuse before insert on service.events for each row execute function service.refuse()`);
  try {
    await expect(scene.fold()).rejects.toThrow();
    expect(await scene.record(recordId)).toMatchObject({ state: 'dark', transitionCount: 0 });
  } finally {
    await fixture.pool.query('drop function service.refuse() cascade');
  }
  await scene.fold();
  expect(await scene.record(recordId)).toMatchObject({ state: 'lit', transitionCount: 1 });
  expect(await tellShort()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
});

test('an event that was stored and not released, as by a crash in between, is released by the next process', async () => {
  await scene.draft();
  await scene.mine(deployment());
  scene.add(input(toggle('5')));
  await scene.show();
  await fixture.pool.query(`
    create function service.refuse() returns trigger language plpgsql as
      $$ begin if new.state = 'released' then raise exception 'not now'; end if; return new; end $$;
    create trigger refuse before update on service.events for each row execute function service.refuse()`);
  try {
    await expect(scene.fold()).rejects.toThrow();
  } finally {
    await fixture.pool.query('drop function service.refuse() cascade');
  }
  expect(await tellShort()).toEqual(['>dark __deploy 0']);
  await createFolder(fixture).fold();
  expect(await tellShort()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
});

test('an agreement used before its Draft was stored is announced from its deployment on', async () => {
  await scene.mine(deployment());
  await scene.mine(input(toggle('5')));
  await scene.draft();
  await scene.fold();
  expect(await tellShort()).toEqual(['>dark __deploy 0', 'dark>lit toggle 1']);
});
