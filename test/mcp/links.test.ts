import { expect, test } from 'vitest';
import { z } from 'zod';
import { deployAgreement } from '../../client/src/viem/index.ts';
import { describeMural } from '../client/support/agreements.ts';
import { createAccount, createClient, stack } from '../client/support/stack.ts';
import { connectAgent } from './support/connectAgent.ts';

const shownShape = z.looseObject({ mode: z.literal('url'), url: z.string(), message: z.string() });

/** An agent whose client shows URLs to a person. The person always gives the same answer. */
async function connectWithPerson(action: 'accept' | 'decline') {
  const shown: string[] = [];
  const agent = await connectAgent(stack, { client: { capabilities: { elicitation: { url: {} } } } });
  agent.client.setRequestHandler('elicitation/create', ({ params }) => {
    shown.push(shownShape.parse(params).url);
    return { action };
  });
  return { agent, shown };
}

/** What a client of the revision of 2026 sends, with any members beside the arguments. */
async function sendCall(more: Record<string, unknown>) {
  const capabilities = { elicitation: { url: {} } };
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const response = await fetch(`${stack.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      'x-api-key': stack.apiKey,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'prepare_signature',
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { _meta: meta, name: 'prepare_signature', ...more },
    }),
  });
  const text = await response.text();
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? text);
  return z.looseObject({ result: z.looseObject({}) }).parse(JSON.parse(json)).result;
}

test('a link stays in force until its person declines: a call without a reply asks for it', async () => {
  const client = createClient();
  const account = createAccount();
  const { displayName, ...deployment } = describeMural({ patron: account, artist: createAccount() });
  const { id: agreementId } = await deployAgreement({ client, account, displayName, ...deployment });
  const asked = { arguments: { purpose: 'link', agreementId, participant: 'artist' } };
  const { requestState } = await sendCall(asked);
  expect(requestState).toBeTypeOf('string');
  const countLinks = async () => {
    let count = 0;
    for await (const _link of client.links.list(agreementId)) count += 1;
    return count;
  };
  for (const inputResponses of [undefined, {}, { sign: {} }, { sign: { action: 'later' } }]) {
    const answer = await sendCall({ ...asked, requestState, ...(inputResponses && { inputResponses }) });
    expect(answer).toMatchObject({ isError: true });
    expect(JSON.stringify(answer)).toContain('inputResponses');
    expect(await countLinks()).toBe(1);
  }
  const { address = '' } = await client.agreements.get(agreementId);
  const elsewhere = stack.chains.find((chain) => chain.chainId !== deployment.chainId)?.chainId;
  const { participant, purpose } = asked.arguments;
  for (const [chainId, known] of [
    [elsewhere, false],
    [deployment.chainId, true],
  ] as const) {
    const other = await connectAgent(stack);
    const byAddress = await other.call('prepare_signature', {
      purpose,
      participant,
      agreementId: address,
      chainId,
    });
    expect(byAddress.isError, byAddress.text).toBe(!known);
    await other.close();
  }
  const declined = { sign: { action: 'cancel' } };
  const refused = await sendCall({ ...asked, requestState, inputResponses: declined });
  expect(JSON.stringify(refused)).toContain('It is revoked.');
  expect(await countLinks()).toBe(1);
});

test('a client that shows addresses shows the link, and no model sees it; one that is turned down is revoked', async () => {
  const client = createClient();
  const account = createAccount();
  const { displayName, ...deployment } = describeMural({ patron: account, artist: createAccount() });
  const { id: agreementId } = await deployAgreement({ client, account, displayName, ...deployment });
  const asked = { purpose: 'link', agreementId, participant: 'artist' };

  const willing = await connectWithPerson('accept');
  const answer = await willing.agent.call('prepare_signature', asked);
  expect(answer.data).toMatchObject({ link: { shown: 'accepted', expiresAt: expect.any(String) } });
  expect(willing.shown).toEqual([expect.stringMatching(/\/console\/sign#\w+/)]);
  expect(JSON.stringify(answer)).not.toContain(willing.shown[0]?.split('#')[1]);

  const unwilling = await connectWithPerson('decline');
  const refused = await unwilling.agent.call('prepare_signature', asked);
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('revoked') });
  const links = [];
  for await (const link of client.links.list(agreementId)) links.push(link);
  expect(links).toEqual([expect.objectContaining({ participant: 'artist', may: 'sign' })]);

  const owner = createAccount();
  const ownName = `Mural for ${owner.address}`;
  const toOwner = { purpose: 'link', ...deployment, displayName: ownName, signer: owner.address };
  const prepared = await willing.agent.call('prepare_signature', toOwner);
  expect(prepared.data).toMatchObject({ link: { shown: 'accepted' } });
  const { agreementId: draftId } = z.looseObject({ agreementId: z.string() }).parse(prepared.data);
  const guest = createClient({ apiKey: undefined, link: willing.shown[1]?.split('#')[1] });
  expect(await guest.shared.get()).toMatchObject({ status: 'Draft', displayName: ownName });
  expect(await client.agreements.get(draftId)).toMatchObject({ status: 'Draft', owner: owner.address });
  expect(await willing.agent.call('read_agreement', { agreementId: draftId })).toMatchObject({
    text: expect.stringContaining('waits for its owner to sign'),
    data: { status: 'Draft', awaitsOwner: true },
  });
  const turnedDown = await unwilling.agent.call('prepare_signature', toOwner);
  expect(turnedDown).toMatchObject({ isError: true, text: expect.stringContaining('revoked') });
  const gone = createClient({ apiKey: undefined, link: unwilling.shown[1]?.split('#')[1] });
  await expect(gone.shared.get()).rejects.toMatchObject({ code: 'unauthorized' });
  const kept = [];
  for await (const one of client.agreements.list({ sort: { createdAt: 'desc' }, limit: 100 }))
    if (one.displayName === ownName) kept.push(one.id);
  expect(kept).toEqual([draftId]);

  const other = await connectAgent(stack);
  const plain = await other.call('prepare_signature', asked);
  expect(plain.data).toMatchObject({ link: { url: expect.any(String), shown: 'notShown' } });
  for (const { close } of [willing.agent, unwilling.agent, other]) await close();
});
