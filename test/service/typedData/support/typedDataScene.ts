import { expect } from 'vitest';
import { signableDeploymentShape, signableShape } from '../../../../src/api/shapes/signableShape.ts';
import type { Answer } from '../../support/call.ts';
import { startWorkedService } from '../../support/chainService.ts';
import { buildLease } from '../../support/documents.ts';
import { outcome } from '../../support/outcome.ts';
import { createAccount } from '../../support/permits.ts';
import { signAnswer } from '../../support/signable.ts';
import { chainId } from '../../support/testChain.ts';
import type { TestPrincipal } from '../../support/testService.ts';

export const publicBaseUrl = 'https://agreements.example/base';

/** A service that prepares typed data, and accepts the signed permits. The caller closes it. */
export async function startTypedDataScene() {
  const env = { DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000', PUBLIC_BASE_URL: publicBaseUrl };
  const started = await startWorkedService(env);
  const { chain, service, principal } = started;
  const post = (path: string, body: unknown, { call }: TestPrincipal = principal): Promise<Answer> =>
    call('POST', `/v0/agreements/${path}`, { body });
  const deployment = (account = createAccount()) => {
    const initValues = { landlord: account.address, tenant: chain.relayer, rent: '5' };
    const agreement = buildLease(chain.token);
    return { account, body: { agreement, chainId, initValues, signer: account.address } };
  };

  return {
    ...started,
    post,
    prepareDeploy: (body: unknown, as = principal) => post('deploy-typed-data', body, as),
    prepareInput: (id: string, body: unknown, as = principal) => post(`${id}/input-typed-data`, body, as),
    /** A deployment to prepare, by a new wallet unless one is given. */
    deployment,
    /** Signs the answer, and submits the deployment. */
    async submitDeploy(prepared: ReturnType<typeof deployment>, answer: Answer): Promise<Answer> {
      const { docUri, documentId } = signableDeploymentShape.parse(answer.body.data);
      const permit = await signAnswer(prepared.account, answer);
      const body = { ...prepared.body, displayName: 'Lease', ...permit, docUri, documentId };
      return post('deploy-with-permit', body);
    },
    verdictOf: ({ body }: Answer) => signableShape.parse(body.data).verdict,
    /** Expects this refusal, and that the request stored nothing. */
    async expectRefused(ask: () => Promise<Answer>, status: number, reason: string): Promise<void> {
      const before = await service.countRows();
      expect(outcome(await ask())).toMatchObject({ status, details: { reason } });
      expect(await service.countRows()).toEqual(before);
    },
  };
}
export type TypedDataScene = Awaited<ReturnType<typeof startTypedDataScene>>;
