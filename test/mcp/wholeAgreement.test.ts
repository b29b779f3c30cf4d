import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describeMural } from '../client/support/agreements.ts';
import { createAccount, stack } from '../client/support/stack.ts';
import { connectAgent, type Revision } from './support/connectAgent.ts';
import { act } from './support/signPrepared.ts';

const sketchHash = `0x${'5c'.repeat(32)}`;
const idShape = z.object({ agreementId: z.string() });

describe.each<Revision>(['2025', '2026-07-28'])('with the official client of %s', (revision) => {
  test('an agent with wallets plays an agreement to its end by the tools alone', async () => {
    const agent = await connectAgent(stack, { revision });
    const [patron, artist] = [createAccount(), createAccount()];
    const { displayName, ...deployment } = describeMural({ patron, artist });

    const drafted = await agent.call('draft_agreement', deployment);
    expect(drafted.data).toMatchObject({ valid: true, deployment: { ready: true } });

    const deployed = await act(agent, patron, { purpose: 'deploy', ...deployment }, { displayName });
    expect(deployed.data).toMatchObject({ status: 'Deployed', state: 'OFFERED' });
    const { agreementId } = idShape.parse(deployed.data);

    const send = (account: ReturnType<typeof createAccount>, inputId: string, values: object) =>
      act(agent, account, { purpose: 'input', agreementId, inputId, values });
    const refused = await send(patron, 'acceptCommission', { artistSignature: 'P' });
    expect(refused).toMatchObject({ isError: true, data: { error: { reason: 'issuer_not_allowed' } } });

    const steps = [
      [artist, 'acceptCommission', { artistSignature: 'A' }, 'SKETCHING'],
      [artist, 'submitSketch', { sketchUri: 'https://example.com/s', sketchHash }, 'SKETCH_IN_REVIEW'],
      [patron, 'approveSketch', { approvedSketchHash: sketchHash }, 'PAINTING'],
      [artist, 'handOver', { finishedOn: '2026-07-01T00:00:00Z', scaffoldingRemoved: true }, 'HANDED_OVER'],
      [patron, 'takeOver', { remarks: 'Fine.' }, 'COMPLETED'],
    ] as const;
    for (const [account, inputId, values, state] of steps) {
      const sent = await send(account, inputId, values);
      expect(sent.data, sent.text).toMatchObject({ status: 'MINED', state });
    }

    const read = await agent.call('read_agreement', { agreementId, include: ['history', 'document'] });
    expect(read.data).toMatchObject({ state: 'COMPLETED', isFinal: true, next: [] });
    expect(read.data).toMatchObject({
      history: { inputs: [{ inputId: 'takeOver', status: 'MINED' }, {}, {}, {}, {}] },
    });
    const found = await agent.call('find_agreements', { text: 'mural', state: 'COMPLETED' });
    expect(found.data.agreements).toContainEqual(expect.objectContaining({ agreementId }));
    await agent.close();
  });

  test('lists, resources, prompts and completions are there', async () => {
    const { client, close } = await connectAgent(stack, { revision });
    expect((await client.listTools()).tools).toHaveLength(7);
    const { resources } = await client.listResources();
    for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toHaveLength(1);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      'author_agreement',
      'explain_agreement',
      'review_agreement',
    ]);
    const prompt = await client.getPrompt({ name: 'explain_agreement', arguments: { id: 'agr_1' } });
    expect(prompt.messages[0]?.content).toMatchObject({
      type: 'text',
      text: expect.stringContaining('agr_1'),
    });
    const ref = { type: 'ref/resource' as const, uri: 'agreements://{id}' };
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: 'mural' } });
    const [id = ''] = completion.values;
    const { contents } = await client.readResource({ uri: `agreements://${id}/document` });
    expect(contents[0]).toMatchObject({ text: expect.stringMatching(/^<<<quoted-data .*mural/is) });
    for (const unknown of [
      { type: 'ref/prompt', name: 'other' } as const,
      { ...ref, uri: 'agreements://{name}' },
    ])
      await expect(client.complete({ ref: unknown, argument: { name: 'id', value: '' } })).rejects.toThrow(
        'There is no such prompt or resource template.',
      );
    await close();
  });
});
