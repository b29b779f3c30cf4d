import { buildLease } from './documents.ts';
import { createAccount, signDeploy } from './permits.ts';
import { chainId, type TestChain } from './testChain.ts';
import type { TestService } from './testService.ts';

export const deploymentPath = '/v0/agreements/deploy-with-permit';

/** The body of a signed deployment by a new wallet. */
export async function prepareDeployment({ token, relayer, factory }: TestChain) {
  const account = createAccount();
  const agreement = buildLease(token);
  const values = { landlord: account.address, tenant: relayer, rent: '5' };
  const permit = await signDeploy({ account, agreement, values, chainId, factory });
  return { agreement, displayName: 'Lease', chainId, initValues: values, ...permit };
}

export async function findDeployment({ handle }: TestService, signer: string): Promise<string | undefined> {
  const { rows } = await handle.pool.query<{ id: string }>(
    `select r.id from service.records r join service.transactions t on t.id = r.deploy_transaction_id
     where t.signer = $1`,
    [signer],
  );
  return rows[0]?.id;
}
