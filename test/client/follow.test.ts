import { expect, test } from 'vitest';
import type { AgreementsClient } from '../../client/src/index.ts';
import { submitInput } from '../../client/src/viem/index.ts';
import { createRandom } from '../support/random.ts';
import { deployPingPong } from './support/agreements.ts';
import { startCuttingProxy } from './support/cuttingProxy.ts';
import { createAccount, createClient, stack } from './support/stack.ts';

const client = createClient();

async function findEnd(): Promise<string | undefined> {
  let end: string | undefined;
  for await (const { pageInfo } of client.events.list({ limit: 100 }).pages())
    end = pageInfo.nextCursor ?? end;
  return end;
}

const hit = (agreementId: string) =>
  submitInput({ client, account: createAccount(), agreementId, inputId: 'hit', values: { note: 'x' } });

/**
 * Collects everything that a follower receives until an agreement has taken this many inputs, and the same
 * events from the feed's list.
 */
async function followWhile(follower: AgreementsClient, { moves, pollMs }: { moves: number; pollMs: number }) {
  const { id: agreementId } = await deployPingPong();
  const after = await findEnd();
  let moving = (async () => {
    for (let move = 1; move < moves; move++) await hit(agreementId);
  })();
  const followed: unknown[] = [];
  let own = 0;
  for await (const { event } of follower.events.follow({ after, pollMs })) {
    followed.push(event);
    if (event.type !== 'agreement.transitioned' || event.data.agreementId !== agreementId) continue;
    // The last move comes when the follower has caught up with the others.
    if (++own === moves - 1) moving = moving.then(() => hit(agreementId)).then(() => undefined);
    if (own === moves) break;
  }
  await moving;
  const listed: unknown[] = [];
  for await (const event of client.events.list({ after, limit: 100 })) listed.push(event);
  return { followed, listed: listed.slice(0, followed.length) };
}

test('each event is handed out once and in order, though the stream is cut within events again and again', async () => {
  const random = createRandom(7);
  const chooseBytes = () => 1_500 + Math.floor(random() * 6_000);
  const path = '/v0/events/stream';
  const proxy = await startCuttingProxy({ target: stack.baseUrl, path, chooseBytes });
  const follower = createClient({ baseUrl: proxy.baseUrl });
  const { followed, listed } = await followWhile(follower, { moves: 12, pollMs: 20 });
  expect(followed).toEqual(listed);
  expect(proxy.cuts()).toBeGreaterThan(1);
  await proxy.close();
});

test.each([
  ['is not offered', () => new Response('{}', { status: 404 })],
  ['is held back on the way', () => new Response(new ReadableStream())],
])('a feed whose stream %s is polled', async (_, answer) => {
  let asked = 0;
  const follower = createClient({
    fetch: async (input, init) => {
      if (!String(input).includes('/events/stream')) return fetch(input, init);
      asked++;
      return answer();
    },
  });
  const { followed, listed } = await followWhile(follower, { moves: 2, pollMs: 20 });
  expect(followed).toEqual(listed);
  expect(asked).toBe(1);
});

test('with each event of a stream comes the cursor after it, and the feed goes on there', async () => {
  const { id: agreementId } = await deployPingPong();
  const after = await findEnd();
  await hit(agreementId);
  await hit(agreementId);
  const ids: string[] = [];
  let kept = after;
  for (let restart = 0; restart < 2; restart++) {
    for await (const { event, cursor } of client.events.follow({ after: kept })) {
      kept = cursor;
      ids.push(event.id);
      break;
    }
  }
  const { data } = await client.events.list({ after });
  expect(ids).toEqual(data.slice(0, 2).map(({ id }) => id));
});

test('a key that is not taken ends it with an error', async () => {
  const stranger = createClient({ apiKey: `agk_test_${'0'.repeat(64)}` });
  await expect(stranger.events.follow().next()).rejects.toMatchObject({ code: 'unauthorized' });
});
