import { createPublicClient, http } from 'viem';
import { expect, test } from 'vitest';
import { explainRevert } from '../../src/worker/relay/explainRevert.ts';
import { deployment, input, type Scene, toggle } from './projector/support/scene.ts';
import type { Fixture } from './projector/support/setup.ts';
import { startSceneForEach } from './support/startSceneForEach.ts';

let fixture: Fixture;
let scene: Scene;
startSceneForEach((started) => {
  ({ fixture, scene } = started);
});

/** An input that was admitted on top of another one. Returns the ids of the transactions. */
async function submitTwo() {
  const { recordId } = await scene.draft();
  await scene.mine(deployment());
  const [earlier, later] = [
    await scene.submit(recordId, toggle('5'), { nonce: 0n }),
    await scene.submit(recordId, toggle('6'), { nonce: 1n }),
  ];
  const admission = { by: 'index', position: 0, after: [earlier.transactionId] };
  await fixture.pool.query('update service.transactions set admission = $2 where id = $1', [
    later.transactionId,
    JSON.stringify(admission),
  ]);
  return { earlier: earlier.transactionId, later: later.transactionId };
}

/** No node answers there. */
const client = createPublicClient({ transport: http('http://127.0.0.1:1', { retryCount: 0 }) });

const explain = async (id: string, blockNumber?: bigint) =>
  (await explainRevert({ pool: fixture.pool, client }, { id, blockNumber }))?.race;

test('a revert on top of an input that failed is explained by that one, also after that is sent again', async () => {
  const { earlier, later } = await submitTwo();
  expect(await explain(later)).toBe('none');
  await fixture.pool.query(`update service.transactions set state = 'failed' where id = $1`, [earlier]);
  expect(await explain(later)).toBe('predecessor');
  await fixture.pool.query(
    `update service.transactions set state = 'accepted', created_at = now() + interval '1 second' where id = $1`,
    [earlier],
  );
  expect(await explain(later)).toBe('predecessor');
});

test('a revert on top of inputs that came back in another order, or after it, is explained by a reorganisation', async () => {
  const { earlier, later } = await submitTwo();
  const blockNumber = 2n;
  await scene.mine(input(toggle('5')));
  expect(await explain(later, blockNumber + 1n)).toBe('none');
  expect(await explain(later, blockNumber)).toBe('none');
  expect(await explain(later, blockNumber - 1n)).toBe('reorganisation');
  await fixture.pool.query('update service.transactions set admission = $2 where id = $1', [
    later,
    JSON.stringify({ by: 'index', position: 0, after: ['txn_other', earlier] }),
  ]);
  expect(await explain(later, blockNumber)).toBe('reorganisation');
});

test('while no node answers, a revert of what a node admitted is explained only by what the database shows', async () => {
  const { earlier, later } = await submitTwo();
  const block = { blockNumber: '1', blockHash: `0x${'1'.repeat(64)}` };
  const admission = { by: 'node', ...block, after: [earlier] };
  await fixture.pool.query('update service.transactions set admission = $2 where id = $1', [
    later,
    JSON.stringify(admission),
  ]);
  expect(await explain(later)).toBeUndefined();
  await fixture.pool.query(`update service.transactions set state = 'failed' where id = $1`, [earlier]);
  expect(await explain(later)).toBe('predecessor');
});
