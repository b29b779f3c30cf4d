import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { waitUntil } from '../../support/waitUntil.ts';
import type { Answer } from '../support/call.ts';
import { deploymentPath } from '../support/deployments.ts';
import { buildLease } from '../support/documents.ts';
import { outcome } from '../support/outcome.ts';
import { createAccount, signDeploy } from '../support/permits.ts';
import { type SlowEndpoint, startSlowEndpoint } from '../support/slowEndpoint.ts';
import { chainId, offerWallet, startTestChain, type TestChain } from '../support/testChain.ts';
import { startTestService, type TestPrincipal, type TestService } from '../support/testService.ts';

let chain: TestChain;
let endpoint: SlowEndpoint;
let service: TestService;
let principal: TestPrincipal;
beforeAll(async () => {
  chain = await startTestChain();
  endpoint = await startSlowEndpoint(chain.rpcUrl);
  service = await startTestService({
    rpcUrls: { [chainId]: endpoint.url },
    env: { DEPLOY_WAIT_MS: '1' },
  });
  await offerWallet(service, chain);
  principal = await service.createPrincipal();
});
afterAll(async () => {
  endpoint?.release();
  await service?.close();
  await endpoint?.close();
  await chain?.stop();
});

let account: PrivateKeyAccount;
beforeEach(async () => {
  account = createAccount();
  expect((await deploy(await sign('x:1'))).status).toBe(200);
});

const terms = () => {
  const agreement = buildLease(chain.token);
  const initValues = { landlord: account.address, tenant: chain.relayer, rent: '5' };
  return { agreement, chainId, initValues };
};

/** Signs a deployment with a permit of the same signer that the chain would accept. */
async function sign(docUri: string) {
  const { agreement, initValues: values } = terms();
  const permit = await signDeploy({ account, agreement, values, chainId, factory: chain.factory, docUri });
  return { ...terms(), displayName: 'Lease', ...permit };
}

const deploy = (body: unknown) => principal.call('POST', deploymentPath, { body });

/** Sends a request, and holds the node's answers to it until the chain has mined the first permit. */
async function whileFirstIsMined(send: () => Promise<Answer>): Promise<Answer> {
  const { rows } = await service.handle.pool.query<{ call_data: `0x${string}` }>(
    'select call_data from service.transactions where signer = $1',
    [account.address],
  );
  endpoint.hold('answers');
  const sent = send();
  await waitUntil('the chain has answered', () => endpoint.waiting() > 0);
  await chain.send(chain.factory, rows[0]?.call_data ?? '0x');
  endpoint.release();
  return sent;
}

test('a permit whose nonce another one uses up while it is checked is stale, and not held up by one on its way', async () => {
  const second = await sign('x:2');
  expect(outcome(await deploy(second)).details).toMatchObject({ reason: 'nonce_in_flight', nonce: '0' });
  expect(outcome(await whileFirstIsMined(() => deploy(second)))).toMatchObject({
    status: 409,
    code: 'conflict',
    details: { reason: 'stale_nonce', signedNonce: '0', currentNonce: '1' },
  });
});

test('typed data that is drawn up while the nonce is used up has the next one', async () => {
  const body = { ...terms(), signer: account.address, docUri: 'x:2' };
  const draw = () => principal.call('POST', '/v0/agreements/deploy-typed-data', { body });
  expect(outcome(await draw()).details).toMatchObject({ reason: 'nonce_in_flight', nonce: '0' });
  const answer = await whileFirstIsMined(draw);
  expect(answer.status).toBe(200);
  expect(z.looseObject({ nonce: z.string() }).parse(answer.body.data).nonce).toBe('1');
});
