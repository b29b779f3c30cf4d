import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { Page } from '../../client/src/http/paged.ts';
import { submitInput } from '../../client/src/viem/index.ts';
import { listenLocally } from '../support/listenLocally.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { deployPingPong, pingPong } from './support/agreements.ts';
import { chainId, createAccount, createClient } from './support/stack.ts';

const client = createClient();

const hit = (agreementId: string) =>
  submitInput({ client, account: createAccount(), agreementId, inputId: 'hit', values: { note: 'x' } });

/** Reads a list to its end, and makes a change after each of its first pages. */
async function readWhileChanging(
  list: { pages(): AsyncIterable<Page<{ id: string }>> },
  changes: readonly (() => Promise<unknown>)[],
): Promise<string[]> {
  const ids: string[] = [];
  const left = [...changes];
  for await (const { data } of list.pages()) {
    ids.push(...data.map(({ id }) => id));
    await left.shift()?.();
  }
  // Otherwise the list has ended before all of the changes.
  expect(left).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  return ids;
}

test('a list of agreements that is read while others come, change and go has each that stays once', async () => {
  const account = createAccount();
  const name = `Pages ${account.address}`;
  const draft = (at: string) =>
    client.agreements.createDraft({
      ...{ agreement: pingPong, chainId, displayName: `${name} ${at}`, signer: account.address },
    });
  const doomed = await Promise.all(['b', 'n'].map(draft));
  const kept = await Promise.all(['c', 'd', 'm', 'o', 'p', 'q', 'r', 's'].map(draft));
  const moved = await Promise.all(['0', '1'].map(() => deployPingPong(createAccount())));
  const drafts = { displayName: { startsWith: name }, limit: 2 };
  const sorts = [{ createdAt: 'desc' }, { createdAt: 'asc' }, { displayName: 'asc' }] as const;
  for (const [index, sort] of sorts.entries()) {
    const gone = doomed[index];
    const ids = await readWhileChanging(client.agreements.list({ ...drafts, sort }), [
      () => draft(`a ${index}`),
      async () => gone && (await client.agreements.withdrawDraft(gone.id)),
      () => draft(`z ${index}`),
      () => draft(`m ${index}`),
    ]);
    expect(ids).toEqual(expect.arrayContaining(kept.map(({ id }) => id)));
  }
  // Among the agreements of other tests, which come and move meanwhile.
  const ids = await readWhileChanging(
    client.agreements.list({ limit: 2 }),
    moved.map(
      ({ id }) =>
        () =>
          hit(id),
    ),
  );
  expect(ids).toEqual(expect.arrayContaining([...kept, ...moved].map(({ id }) => id)));
});

test('inputs and events that are read while others come each come once', async () => {
  const { id } = await deployPingPong();
  const before: string[] = [];
  for (let count = 0; count < 6; count++) before.push((await hit(id)).id);
  const more = [() => hit(id), () => hit(id)];
  for (const sort of [{ createdAt: 'desc' }, { createdAt: 'asc' }] as const)
    expect(await readWhileChanging(client.agreements.listInputs(id, { limit: 2, sort }), more)).toEqual(
      expect.arrayContaining(before),
    );
  const events = async () => {
    const found: string[] = [];
    for await (const event of client.events.list({ limit: 100 }))
      if (event.data.agreementId === id) found.push(event.id);
    return found;
  };
  await waitUntil('all are in the feed', async () => (await events()).length >= 11);
  const known = await events();
  expect(await readWhileChanging(client.events.list({ limit: 3 }), more)).toEqual(
    expect.arrayContaining(known),
  );
});

test('deliveries that are read while others come and change their status each come once', async () => {
  let status = 500;
  const receiver = await listenLocally(
    createServer((_, response) => {
      response.writeHead(status).end();
    }),
  );
  onTestFinished(() => receiver.close());
  const { id } = await deployPingPong();
  const webhook = await client.webhooks.create({ url: receiver.url, filters: { agreementIds: [id] } });
  onTestFinished(async () => void (await client.webhooks.disable(webhook.id)));
  for (let count = 0; count < 6; count++) await hit(id);
  const list = (limit: number) => client.webhooks.listDeliveries(webhook.id, { limit });
  await waitUntil('each has failed once', async () => {
    const { data } = await list(100);
    return data.length >= 6 && data.every(({ attempts }) => attempts.length > 0);
  });
  const known = (await list(100)).data.map((one) => one.id);
  status = 204;
  const deliver = (at: number) => () => client.webhooks.redeliver(webhook.id, known.at(at) ?? '');
  const ids = await readWhileChanging(list(2), [deliver(-1), () => hit(id), deliver(0)]);
  expect(ids).toEqual(expect.arrayContaining(known));
});
