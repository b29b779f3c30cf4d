import { encodeFunctionData } from 'viem';
import { expect } from 'vitest';
import { agreementEngineAbi } from '../../../../abis/AgreementEngine.ts';
import { nameHash } from '../../../../src/protocol/index.ts';
import { waitUntil } from '../../../support/waitUntil.ts';
import type { Answer } from '../../support/call.ts';
import { startWorkedService } from '../../support/chainService.ts';
import { deployLease, type Lease } from '../../support/leases.ts';
import { outcome } from '../../support/outcome.ts';
import type { TestPrincipal } from '../../support/testService.ts';

/** The input with which a tenant accepts a lease. */
export const accept = { inputId: 'accept', values: { months: '4', remark: 'gladly', code: 'A' } };

type SignedInput = Awaited<ReturnType<Lease['sign']>>;

/** A service with leases, and functions that submit inputs to them. The caller closes it. */
export async function startInputScene() {
  const started = await startWorkedService({ DEPLOY_WAIT_MS: '1', SIGNING_WAIT_MS: '120000' });
  const { chain, service, principal, worker } = started;
  const submit = (
    id: string,
    body: unknown,
    { call }: Pick<TestPrincipal, 'call'> = principal,
  ): Promise<Answer> => call('POST', `/v0/agreements/${id}/input`, { body });
  const isOneWaiting = async () => {
    const [mined, waiting] = await Promise.all(
      (['latest', 'pending'] as const).map((blockTag) =>
        chain.client.getTransactionCount({ address: chain.relayer, blockTag }),
      ),
    );
    return (waiting ?? 0) > (mined ?? 0);
  };

  return {
    ...started,
    submit,
    isOneWaiting,
    deploy: () => deployLease(principal, { chain, worker }),
    /** Expects this refusal, and that the request stored nothing. */
    async expectRefused(lease: Pick<Lease, 'id'>, body: unknown, status: number, reason: string) {
      const before = await service.countRows();
      const answer = await submit(lease.id, body);
      expect(outcome(answer)).toMatchObject({ status, details: { reason } });
      expect(await service.countRows()).toEqual(before);
      return outcome(answer);
    },
    /** Runs while the chain accepts transactions but mines none. Afterwards mines them all. */
    async whileNothingIsMined<Result>(run: () => Promise<Result>): Promise<Result> {
      await chain.client.setAutomine(false);
      try {
        return await run();
      } finally {
        await chain.client.setAutomine(true);
        await chain.client.mine({ blocks: 1 });
      }
    },
    /** Sends a permit directly to the chain, and returns before it is mined. */
    async sendUnmined(lease: Lease, { body, payload }: SignedInput): Promise<void> {
      const { signer, inputId, deadline, signature } = body;
      const { v, r, s } = signature;
      const data = encodeFunctionData({
        abi: agreementEngineAbi,
        functionName: 'submitInputWithPermit',
        args: [signer, nameHash(inputId), payload, BigInt(deadline), v, r, s],
      });
      await chain.client.sendTransaction({ account: chain.relayer, chain: null, to: lease.address, data });
      await waitUntil('it waits to be mined', isOneWaiting);
    },
  };
}
export type InputScene = Awaited<ReturnType<typeof startInputScene>>;
