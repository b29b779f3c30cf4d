import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { submitInput } from '../../client/src/viem/index.ts';
import { describeMural } from '../client/support/agreements.ts';
import { createAccount, createClient, stack } from '../client/support/stack.ts';
import { type Agent, connectAgent } from './support/connectAgent.ts';
import { createStranger } from './support/createStranger.ts';
import { act, signPrepared } from './support/signPrepared.ts';

/** A text that only the agreement's owner knows. */
const secret = `Mural ${randomUUID()}`;
const [patron, artist] = [createAccount(), createAccount()];
const client = createClient();
const deadline = 4_102_444_800;
const signature = `0x${'11'.repeat(64)}1b`;

/** The references to the owner's agreement. `unknown` has references to nothing. */
type Names = { agreementId: string; address: string; documentId: string; cursor: string; after: string };
const unknown = { agreementId: `agr_${'0'.repeat(32)}`, address: createAccount().address };

let owner: Agent;
let stranger: Agent;
let hostedStranger: Agent;
let own: Names;

beforeAll(async () => {
  owner = await connectAgent(stack);
  const { displayName: _name, ...deployment } = describeMural({ patron, artist });
  const deployed = await act(owner, patron, { purpose: 'deploy', ...deployment }, { displayName: secret });
  const { agreementId } = z.looseObject({ agreementId: z.string() }).parse(deployed.data);
  await submitInput({
    client,
    account: artist,
    agreementId,
    inputId: 'acceptCommission',
    values: { artistSignature: secret },
  });
  const { address = '', documentId = '' } = await client.agreements.get(agreementId);
  await act(owner, patron, { purpose: 'deploy', ...deployment }, { displayName: secret });
  const list = await client.agreements.list({ limit: 1 });
  const events = await client.events.list({ limit: 1 });
  const [cursor, after] = [list.pageInfo.nextCursor ?? '', events.pageInfo.nextCursor ?? ''];
  own = { agreementId, address, documentId, cursor, after };
  const door = await createStranger();
  stranger = await connectAgent(door);
  hostedStranger = await connectAgent({ ...door, path: '/mcp/compat' });
});
afterAll(() => Promise.all([owner, stranger, hostedStranger].map((agent) => agent?.close())));

const step = { inputId: 'submitSketch', values: { sketchUri: 'https://example.com', sketchHash: '0x11' } };
const signed = { ...step, signer: artist.address, deadline };
const calls: readonly [string, (agreementId: string) => Record<string, unknown>][] = [
  ['read_agreement', (agreementId) => ({ agreementId, include: ['document', 'history', 'json'] })],
  ['simulate_agreement', (agreementId) => ({ agreementId, steps: [{ ...step, by: 'artist' }] })],
  [
    'prepare_signature',
    (agreementId) => ({ purpose: 'input', agreementId, ...step, signer: artist.address }),
  ],
  ['prepare_signature', (agreementId) => ({ purpose: 'link', agreementId, participant: 'artist' })],
  ['submit_signed', (agreementId) => ({ purpose: 'input', agreementId, ...signed, signature })],
  ['read_events', (agreementId) => ({ agreementId })],
  ['read_events', (agreementId) => ({ agreementId, preview: { inputId: 'submitSketch' } })],
];
const parts = { signatureV: 27, signatureR: `0x${'11'.repeat(32)}`, signatureS: `0x${'11'.repeat(32)}` };
const hostedCalls: typeof calls = [
  ['get_agreement', (agreementId) => ({ agreementId })],
  ['get_agreement_state', (agreementId) => ({ agreementId })],
  ['get_input_history', (agreementId) => ({ agreementId })],
  ['prepare_input_typed_data', (agreementId) => ({ agreementId, ...step, signerAddress: artist.address })],
  ['submit_input', (agreementId) => ({ agreementId, ...signed, ...parts })],
];

/** An answer without its request id and without the requested id. */
const plain = (text: string, id: string) => text.replaceAll(id, 'ID').replaceAll(/req_\w+/g, 'REQUEST');

describe('to another principal an agreement is what no agreement is,', () => {
  test.each([
    ...calls.map(([name, args]) => [name, args, () => stranger] as const),
    ...hostedCalls.map(([name, args]) => [name, args, () => hostedStranger] as const),
  ])('asked for with %s', async (name, args, agent) => {
    for (const by of ['agreementId', 'address'] as const) {
      const [foreign, none] = [
        await agent().call(name, args(own[by])),
        await agent().call(name, args(unknown[by])),
      ];
      expect(foreign).toMatchObject({ isError: true, data: { error: { code: 'not_found' } } });
      expect(plain(JSON.stringify(foreign.data), own[by])).toBe(
        plain(JSON.stringify(none.data), unknown[by]),
      );
      expect(JSON.stringify(foreign)).not.toContain(secret);
    }
  });

  test('by the id of its document, and as a resource', async () => {
    const asked = { documentId: own.documentId };
    const document = await hostedStranger.call('get_agreement_document', asked);
    expect(document).toMatchObject({ isError: true, data: { error: { code: 'not_found' } } });
    for (const part of ['', '/document', '/history'])
      for (const id of [own.agreementId, own.address])
        await expect(stranger.client.readResource({ uri: `agreements://${id}${part}` })).rejects.toThrow(
          /not found/i,
        );
    const ref = { type: 'ref/resource' as const, uri: 'agreements://{id}' };
    const { completion } = await stranger.client.complete({
      ref,
      argument: { name: 'id', value: own.agreementId.slice(0, 12) },
    });
    expect(completion.values).toEqual([]);
  });

  test('in searches, lists and the feed, with the cursors of its owner too', async () => {
    const found = await stranger.call('find_agreements', { text: secret });
    expect(found.data).toMatchObject({ agreements: [], nextCursor: null });
    const events = await stranger.call('read_events');
    expect(events.data).toMatchObject({ events: [] });
    const borrowed = [
      await stranger.call('find_agreements', { cursor: own.cursor }),
      await stranger.call('read_events', { after: own.after }),
      await hostedStranger.call('list_agreements', { cursor: own.cursor }),
    ];
    for (const answer of borrowed) {
      expect(answer).toMatchObject({ isError: true, data: { error: { code: 'bad_request' } } });
      expect(JSON.stringify(answer)).not.toContain(secret);
    }
  });

  test('even with a permit that its participant has signed, which moves nothing', async () => {
    const subject = { ...step, values: { ...step.values, sketchHash: `0x${'5c'.repeat(32)}` } };
    const asked = { purpose: 'input', agreementId: own.agreementId, ...subject, signer: artist.address };
    const prepared = await owner.call('prepare_signature', asked);
    const permit = await signPrepared(prepared, artist);
    expect(await stranger.call('submit_signed', { ...asked, ...permit })).toMatchObject({
      isError: true,
      data: { error: { code: 'not_found' } },
    });
    expect(await client.agreements.getState(own.agreementId)).toMatchObject({ state: 'SKETCHING' });
  });
});
