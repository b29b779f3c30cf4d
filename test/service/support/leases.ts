import type { Address } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { recordShape } from '../../../src/api/shapes/resources.ts';
import { buildLease } from './documents.ts';
import { createAccount, type InputSigning, signDeploy, signInput } from './permits.ts';
import type { StandInWorker } from './standInWorker.ts';
import { chainId, type TestChain } from './testChain.ts';
import type { TestPrincipal } from './testService.ts';

/** A principal's deployed agreement, and the wallets of its parties. */
export type Lease = {
  id: string;
  address: Address;
  agreement: ReturnType<typeof buildLease>;
  landlord: PrivateKeyAccount;
  tenant: PrivateKeyAccount;
  sign(input: Omit<InputSigning, 'agreement' | 'agreementAddress' | 'chainId'>): ReturnType<typeof signInput>;
};

/** Deploys a lease through the API on the chain. */
export async function deployLease(
  principal: TestPrincipal,
  { chain, worker }: { chain: TestChain; worker: StandInWorker },
): Promise<Lease> {
  const [landlord, tenant] = [createAccount(), createAccount()];
  const agreement = buildLease(chain.token);
  const values = { landlord: landlord.address, tenant: tenant.address, rent: '5' };
  const { factory } = chain;
  const permit = await signDeploy({ account: landlord, agreement, values, chainId, factory });
  const body = { agreement, displayName: 'Lease', chainId, initValues: values, ...permit };
  const answer = await principal.call('POST', '/v0/agreements/deploy-with-permit', { body });
  const { id } = recordShape.parse(answer.body.data);
  const address = await worker.fold(id);
  const sign: Lease['sign'] = (input) =>
    signInput({ agreement, agreementAddress: address, chainId, ...input });
  return { id, address, agreement, landlord, tenant, sign };
}
