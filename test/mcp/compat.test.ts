import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeMural } from '../client/support/agreements.ts';
import { type Account, createAccount, createClient, stack } from '../client/support/stack.ts';
import { connectAgent } from './support/connectAgent.ts';

const typedDataShape = z.object({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});
const preparedShape = z.looseObject({ typedData: typedDataShape, deadline: z.number() });

/** Signs as agents of the hosted service do: the parts of the signature are separate arguments. */
async function sign(account: Account, { typedData, deadline }: z.output<typeof preparedShape>) {
  const signature = await account.signTypedData(typedData);
  return {
    signer: account.address,
    deadline,
    signatureR: `0x${signature.slice(2, 66)}`,
    signatureS: `0x${signature.slice(66, 130)}`,
    signatureV: Number.parseInt(signature.slice(130), 16),
  };
}

test('the tools of the hosted service deploy and move an agreement by their names and arguments', async () => {
  const agent = await connectAgent({ ...stack, path: '/mcp/compat' }, { revision: '2025' });
  const { tools } = await agent.client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    'deploy_agreement',
    'get_agreement',
    'get_agreement_document',
    'get_agreement_state',
    'get_input_history',
    'list_agreements',
    'preflight_deployment',
    'prepare_deployment_typed_data',
    'prepare_input_typed_data',
    'submit_input',
    'validate_agreement',
  ]);
  const call = async (name: string, args: Record<string, unknown>) => {
    const { isError, text } = await agent.call(name, { environment: 'testnet', ...args });
    expect(isError, text).toBe(false);
    return z.looseObject({}).parse(JSON.parse(text));
  };
  const [patron, artist] = [createAccount(), createAccount()];
  const { displayName, ...deployment } = describeMural({ patron, artist });
  const { agreement } = deployment;

  expect(await call('validate_agreement', { agreement })).toMatchObject({ warnings: [] });
  expect(await call('preflight_deployment', deployment)).toMatchObject({ warnings: [] });
  const prepared = await call('prepare_deployment_typed_data', {
    ...deployment,
    signerAddress: patron.address,
  });
  const permit = await sign(patron, preparedShape.parse(prepared));
  const deployed = await call('deploy_agreement', {
    agreement,
    displayName,
    chainId: deployment.chainId,
    initValues: prepared.normalizedInitValues,
    participants: prepared.normalizedParticipants,
    observers: prepared.normalizedObservers,
    ...permit,
  });
  expect(deployed).toMatchObject({ status: 'Deployed', docUri: prepared.docUri });
  const { id: agreementId, documentId } = deployed;

  const input = { agreementId, inputId: 'acceptCommission', values: { artistSignature: 'A' } };
  const unsigned = await agent.call('submit_input', input);
  expect(unsigned).toMatchObject({
    isError: true,
    text: expect.stringContaining('prepare_input_typed_data'),
  });
  const asked = await call('prepare_input_typed_data', { ...input, signerAddress: artist.address });
  const sent = await call('submit_input', { ...input, ...(await sign(artist, preparedShape.parse(asked))) });
  expect(sent).toMatchObject({ inputId: 'acceptCommission', txHash: expect.stringMatching(/^0x/) });
  expect(await call('get_agreement_state', { agreementId })).toMatchObject({ state: 'SKETCHING' });
  expect(await call('get_input_history', { agreementId })).toMatchObject({ data: [{ status: 'MINED' }] });
  expect(await call('get_agreement_document', { documentId })).toMatchObject({ agreementId });
  expect(await call('get_agreement', { agreementId })).toMatchObject({ id: agreementId });
  expect(await call('list_agreements', { limit: 3, sortBy: 'createdAt' })).toHaveProperty('data');
  const elsewhere = await agent.call('list_agreements', { environment: 'production' });
  expect(elsewhere).toMatchObject({ isError: true, text: expect.stringContaining('testnet') });

  const refused = [
    await agent.call('get_agreement', { agreementId: 'agr_unknown' }),
    await agent.call('prepare_input_typed_data', { ...input, signerAddress: artist.address }),
  ];
  expect(refused).toMatchObject([
    { isError: true, text: expect.stringContaining('with list_agreements') },
    { isError: true, text: expect.stringContaining('call get_agreement_state') },
  ]);
  const faulty: [string, Record<string, unknown>, string][] = [
    ['list_agreements', { createdAfter: 'x' }, 'createdAfter'],
    ['prepare_input_typed_data', { ...input, signerAddress: 'x' }, 'signerAddress'],
    ['submit_input', { ...input, ...permit, signatureV: 5 }, 'signatureV'],
    ['deploy_agreement', { ...deployment, displayName, ...permit, signatureR: '0x' }, 'signatureR'],
  ];
  for (const [name, args, field] of faulty)
    expect((await agent.call(name, args)).data, name).toMatchObject({ error: { field } });
  await agent.close();
});

test('a list of agreements follows the asked direction, also without a named order', async () => {
  const agent = await connectAgent({ ...stack, path: '/mcp/compat' }, { revision: '2025' });
  const [patron, artist] = [createAccount(), createAccount()];
  const client = createClient();
  const drafts: string[] = [];
  for (const displayName of ['first', 'second']) {
    const draft = { ...describeMural({ patron, artist }), displayName, signer: patron.address };
    drafts.push((await client.agreements.createDraft(draft)).id);
  }
  const createdAfter = (await client.agreements.get(drafts[0] ?? '')).createdAt;
  const idsOf = async (sortDirection: string) => {
    const { text } = await agent.call('list_agreements', { sortDirection, limit: 100, createdAfter });
    const { data } = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(JSON.parse(text));
    return data.map(({ id }) => id).filter((id) => drafts.includes(id));
  };
  expect(await idsOf('asc')).toEqual(drafts);
  expect(await idsOf('desc')).toEqual(drafts.toReversed());
  await agent.close();
});
