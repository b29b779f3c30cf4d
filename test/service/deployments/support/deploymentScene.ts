import type { Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { expect } from 'vitest';
import type { Answer } from '../../support/call.ts';
import { startChainService } from '../../support/chainService.ts';
import { deploymentPath } from '../../support/deployments.ts';
import { buildLease } from '../../support/documents.ts';
import { outcome } from '../../support/outcome.ts';
import { createAccount, signDeploy } from '../../support/permits.ts';
import { chainId } from '../../support/testChain.ts';
import type { TestPrincipal } from '../../support/testService.ts';

type Transaction = { id: string; call_data: Hex; state: string };

/** A service that does not wait for deployments, and leases deployed through it. The caller closes it. */
export async function startDeploymentScene() {
  const started = await startChainService({ DEPLOY_WAIT_MS: '1' });
  const { chain, service, principal } = started;
  const deploy = (body: unknown, { call }: TestPrincipal = principal): Promise<Answer> =>
    call('POST', deploymentPath, { body });

  return {
    ...started,
    deploy,
    /** A signed deployment by a new wallet, unless one is given. */
    async prepare(
      options: {
        account?: PrivateKeyAccount;
        nonce?: bigint;
        deadline?: number;
        docUri?: string;
        remark?: string;
      } = {},
    ) {
      const { account = createAccount(), remark = 'as seen', ...signing } = options;
      const agreement = buildLease(chain.token);
      const initValues = { landlord: account.address, tenant: chain.relayer, rent: '5', remark };
      const docUri = 'https://leases.example/1';
      const permit = await signDeploy({
        account,
        agreement,
        values: { landlord: account.address, tenant: chain.relayer, rent: '5' },
        chainId,
        factory: chain.factory,
        docUri,
        ...signing,
      });
      return { account, body: { agreement, displayName: 'Lease 1', chainId, initValues, ...permit } };
    },
    async findTransaction(signer: string): Promise<Transaction> {
      const { rows } = await service.handle.pool.query<Transaction>(
        'select id, call_data, state from service.transactions where signer = $1',
        [signer],
      );
      const [row] = rows;
      if (!row || rows.length > 1) throw new Error(`there are ${rows.length} transactions of ${signer}`);
      return row;
    },
    /** Expects this refusal, and that the request stored nothing. */
    async expectRefused(body: unknown, status: number, reason: string) {
      const before = await service.countRows();
      const answer = await deploy(body);
      expect(outcome(answer)).toMatchObject({ status, details: { reason } });
      expect(await service.countRows()).toEqual(before);
      return outcome(answer);
    },
  };
}
export type DeploymentScene = Awaited<ReturnType<typeof startDeploymentScene>>;
