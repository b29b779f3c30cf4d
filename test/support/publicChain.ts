import { type Address, createTestClient, http } from 'viem';
import { pingPong } from '../../bench/pingPong.ts';
import { deployDirectly, submitDirectly } from '../service/support/directDeployment.ts';
import { startTestChain, type TestChain } from '../service/support/testChain.ts';

const emptyBlocks = 40;

/** A chain in the role of a public one, with the protocol deployed and one agreement already used. */
export type PublicChain = TestChain & { earlier: { address: Address; agreement: typeof pingPong } };

/**
 * Starts a chain with one agreement that has an input, followed by some empty blocks. The caller stops it.
 */
export async function startPublicChain(id?: number): Promise<PublicChain> {
  const chain = await startTestChain(id);
  const address = await deployDirectly(chain, { agreement: pingPong, values: {} });
  const hit = { agreement: pingPong, inputId: 'hit', values: { note: 'before the fork' } };
  await submitDirectly(chain, { from: chain.relayer, to: address, ...hit });
  await createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) }).mine({ blocks: emptyBlocks });
  return { ...chain, earlier: { address, agreement: pingPong } };
}
