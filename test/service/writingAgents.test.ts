import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectAgent } from '../mcp/support/connectAgent.ts';
import { startWorkedService, type WorkedService } from './support/chainService.ts';
import { deployLease } from './support/leases.ts';

let scene: WorkedService;
beforeAll(async () => {
  scene = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' });
});
afterAll(() => scene?.close());

test('the hosted tool tells also an agent that may not read of the input that it has submitted', async () => {
  const writer = await scene.service.createPrincipal(['agreements.write']);
  const { id: agreementId, tenant, sign } = await deployLease(writer, scene);
  const { body } = await sign({ account: tenant, inputId: 'knock', values: {} });
  const { signature, ...input } = body;
  const { v: signatureV, r: signatureR, s: signatureS } = signature;
  const { baseUrl } = scene.service;
  const agent = await connectAgent({ baseUrl, apiKey: writer.key, path: '/mcp/compat' });
  const sent = await agent.call('submit_input', {
    ...{ agreementId, ...input },
    ...{ signatureV, signatureR, signatureS },
  });
  await agent.close();
  expect(sent.isError, sent.text).toBe(false);
  expect(JSON.parse(sent.text)).toMatchObject({ inputId: 'knock', txHash: expect.stringMatching(/^0x/) });
});
