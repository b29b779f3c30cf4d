import { serializeSignature } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectAgent } from '../mcp/support/connectAgent.ts';
import { startWorkedService, type WorkedService } from './support/chainService.ts';
import { buildLease } from './support/documents.ts';
import { deployLease } from './support/leases.ts';
import { createAccount, signDeploy } from './support/permits.ts';
import { chainId } from './support/testChain.ts';
import type { TestPrincipal } from './support/testService.ts';

let scene: WorkedService;
beforeAll(async () => {
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' });
});
afterAll(() => scene?.close());

/** The arguments of submit_signed for an input that a lease's tenant has signed. */
async function signKnock(principal: TestPrincipal) {
  const { id: agreementId, tenant, sign } = await deployLease(principal, scene);
  const { body } = await sign({ account: tenant, inputId: 'knock', values: {} });
  return { agreementId, ...body, purpose: 'input', signature: join(body.signature) };
}

function join({ v, r, s }: { v: number; r: `0x${string}`; s: `0x${string}` }) {
  return serializeSignature({ r, s, v: BigInt(v) });
}

const connect = ({ key: apiKey }: TestPrincipal, path = '/mcp') =>
  connectAgent({ baseUrl: scene.service.baseUrl, apiKey, path });

test('an agent that may not read learns that its input is accepted, and what it may not learn', async () => {
  const writer = await scene.service.createPrincipal(['agreements.write']);
  const input = await signKnock(writer);
  const agent = await connect(writer);
  const sent = await agent.call('submit_signed', input);
  expect(sent.isError, sent.text).toBe(false);
  expect(sent.data).toEqual({
    agreementId: input.agreementId,
    id: expect.stringMatching(/^inp_/),
    status: 'PENDING',
    address: expect.stringMatching(/^0x/),
    txHash: expect.stringMatching(/^0x/),
    consistency: expect.any(String),
  });
  expect(sent.text).toMatch(/^The input is accepted as inp_.*agreements\.read/);
  expect(await agent.call('submit_signed', input)).toEqual(sent);
  await agent.close();
});

test('an agent that may not read learns that its deployment is accepted', async () => {
  const writer = await scene.service.createPrincipal(['agreements.write']);
  const [landlord, tenant] = [createAccount(), createAccount()];
  const agreement = buildLease(scene.chain.token);
  const values = { landlord: landlord.address, tenant: tenant.address, rent: '5' };
  const { factory } = scene.chain;
  const permit = await signDeploy({ account: landlord, agreement, values, chainId, factory });
  const agent = await connect(writer);
  const sent = await agent.call('submit_signed', {
    ...{ purpose: 'deploy', agreement, displayName: 'Lease', chainId, initValues: values },
    ...{ ...permit, signature: join(permit.signature) },
  });
  await agent.close();
  expect(sent.isError, sent.text).toBe(false);
  expect(sent.data).toMatchObject({ agreementId: expect.stringMatching(/^agr_/), status: 'Draft' });
});

test('the hosted tool tells also an agent that may not read of the input that it has submitted', async () => {
  const writer = await scene.service.createPrincipal(['agreements.write']);
  const { id: agreementId, tenant, sign } = await deployLease(writer, scene);
  const { body } = await sign({ account: tenant, inputId: 'knock', values: {} });
  const { signature, ...input } = body;
  const { v: signatureV, r: signatureR, s: signatureS } = signature;
  const agent = await connect(writer, '/mcp/compat');
  const sent = await agent.call('submit_input', {
    ...{ agreementId, ...input },
    ...{ signatureV, signatureR, signatureS },
  });
  await agent.close();
  expect(sent.isError, sent.text).toBe(false);
  expect(JSON.parse(sent.text)).toMatchObject({ inputId: 'knock', txHash: expect.stringMatching(/^0x/) });
});
