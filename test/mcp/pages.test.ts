import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { deployPingPong } from '../client/support/agreements.ts';
import { createClient, stack } from '../client/support/stack.ts';
import { type Agent, connectAgent } from './support/connectAgent.ts';
import { createTaskWorld, type TaskWorld } from './support/taskWorld.ts';

let agent: Agent;
let world: TaskWorld;
beforeAll(async () => {
  agent = await connectAgent(stack);
  world = await createTaskWorld(agent);
  for (let made = 0; made < 12; made += 1) await deployPingPong();
});
afterAll(() => agent.close());

const eventsShape = z.object({ events: z.array(z.object({ id: z.string() })), nextCursor: z.string() });
const agreementsShape = z.object({
  agreements: z.array(z.object({ agreementId: z.string() })),
  nextCursor: z.string().nullable(),
});

/** The ids of all events in the REST API. */
async function listEventIds(): Promise<string[]> {
  const client = createClient();
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const { data, pageInfo } = await client.events.list({
      limit: 100,
      ...(after !== undefined && { after }),
    });
    if (data.length === 0) return ids;
    ids.push(...data.map(({ id }) => id));
    after = pageInfo.nextCursor ?? undefined;
  }
}

test.each([10, 100])('pages of %i events that are too long skip no event', async (limit) => {
  const all = await listEventIds();
  const seen: string[] = [];
  for (let after: string | undefined; seen.length < all.length; ) {
    const page = await agent.call('read_events', { limit, maxTokens: 1_000, ...(after && { after }) });
    const { events, nextCursor } = eventsShape.parse(page.data);
    expect(page.tokens).toBeLessThanOrEqual(1_000);
    expect(events).not.toEqual([]);
    seen.push(...events.map(({ id }) => id));
    after = nextCursor;
  }
  expect(seen.slice(0, all.length)).toEqual(all);
});

test('pages of a search that are too long skip no agreement', async () => {
  const client = createClient();
  const all: string[] = [];
  for await (const { id, displayName } of client.agreements.list({ limit: 100, sort: { createdAt: 'asc' } }))
    if (displayName.toLowerCase().includes('mural')) all.push(id);
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const asked = { text: 'mural', sort: 'oldest', limit: 100, maxTokens: 700, ...(cursor && { cursor }) };
    const { agreements, nextCursor } = agreementsShape.parse(
      (await agent.call('find_agreements', asked)).data,
    );
    seen.push(...agreements.map(({ agreementId }) => agreementId));
    cursor = nextCursor;
  }
  // Other tests deploy meanwhile, and a record's time is the start of its deployment.
  expect(seen.filter((id) => all.includes(id))).toEqual(all);
});

test('the events of one agreement are found wherever they are in the feed', async () => {
  const { data } = await agent.call('find_agreements', { text: world.names.inReview });
  const [found] = agreementsShape.parse(data).agreements;
  const events = await agent.call('read_events', { agreementId: found?.agreementId });
  expect(events.data).toMatchObject({
    events: [{ inputId: '__deploy' }, { inputId: 'acceptCommission' }, { inputId: 'submitSketch' }],
  });
});

test('clients that show texts alone to their model show everything', async () => {
  const { client } = agent;
  for (const name of ['find_agreements', 'read_events']) {
    const { content, structuredContent } = z
      .looseObject({ content: z.array(z.object({ text: z.string() })), structuredContent: z.unknown() })
      .parse(await client.callTool({ name, arguments: {} }));
    expect(JSON.parse(content[1]?.text ?? '')).toEqual(structuredContent);
  }
});

test('refusals say in their text what the service expected', async () => {
  const { loan } = world;
  const chain = await agent.call('draft_agreement', { agreement: loan, chainId: 1 });
  expect(chain.text).toContain('59141');
  const guessed = await agent.call('find_agreements', { name: 'mural' });
  expect(guessed.text).toContain('the arguments are text, nameStartsWith');
  const preview = await agent.call('read_events', { preview: { inputId: 'take' } });
  expect(preview.data).toMatchObject({ error: { issues: [{ path: 'agreementId' }] } });
  const vague = await agent.call('read_events', { agreementId: 'agr_unknown', preview: { at: 'tomorrow' } });
  expect(vague.data).toMatchObject({ error: { issues: [{ path: 'preview.at' }] } });
  const empty = await agent.call('read_events', { agreementId: 'agr_unknown', preview: {} });
  expect(empty.data).toMatchObject({
    error: { issues: [{ path: 'preview', message: 'must have at or inputId, and not both' }] },
  });
  const both = { at: '2026-01-01T00:00:00Z', inputId: 'take' };
  const twofold = await agent.call('read_events', { agreementId: 'agr_unknown', preview: both });
  expect(twofold.data).toMatchObject({ error: { field: 'preview' } });
  const { data } = await agent.call('find_agreements', { text: world.names.inReview });
  const [found] = agreementsShape.parse(data).agreements;
  const unknown = { agreementId: found?.agreementId, preview: { inputId: 'nope' } };
  expect((await agent.call('read_events', unknown)).data).toMatchObject({
    error: { reason: 'unknown_input', field: 'preview.inputId' },
  });
  const long = { ...unknown, preview: { inputId: 'x'.repeat(2_000) } };
  expect((await agent.call('read_events', long)).data).toMatchObject({
    error: { issues: [{ path: 'preview.inputId' }] },
  });
  const date = await agent.call('find_agreements', { updatedAfter: 'yesterday' });
  expect(date.data).toMatchObject({ error: { issues: [{ path: 'updatedAfter' }] } });
  const cursor = await agent.call('find_agreements', { cursor: 'x' });
  expect(cursor.text).toMatch(
    /^Error bad_request: The arguments are not valid: cursor is not a valid cursor/,
  );
  const historical = { agreementId: found?.agreementId, include: ['history'], historyCursor: 'x' };
  expect((await agent.call('read_agreement', historical)).data).toMatchObject({
    error: { issues: [{ path: 'historyCursor' }] },
  });
  const signer = await agent.call('prepare_signature', {
    ...{ purpose: 'input', agreementId: 'agr_unknown', inputId: 'take', signer: 'x' },
  });
  expect(signer.text).toMatch(/^Error bad_request: The arguments are not valid: signer must be an address/);
});
