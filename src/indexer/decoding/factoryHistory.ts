import type { Context } from 'ponder:registry';
import type { Address } from 'viem';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { findChainDefaults } from '../../platform/config/chainDefaults.ts';
import { findChain } from '../../protocol/chains.ts';

/**
 * The nonce of a signer's first permit at a factory that the index sees. Zero if the factory is followed from
 * its deployment on. Otherwise permits may lie before the start block, and the chain is asked at the block
 * before. Ponder caches the answers, so a rebuilt index gives the same result without asking again.
 */
export async function readFirstNonce(
  context: Context,
  permit: { factory: Address; signer: Address; blockNumber: bigint },
): Promise<bigint> {
  const { factory, signer, blockNumber } = permit;
  if (await isFollowedFromDeployment(context, factory)) return 0n;
  return context.client.readContract({
    abi: agreementFactoryAbi,
    address: factory,
    functionName: 'nonces',
    args: [signer],
    blockNumber: blockNumber - 1n,
  });
}

async function isFollowedFromDeployment(context: Context, factory: Address): Promise<boolean> {
  const startBlock = Number(context.contracts.AgreementFactory.startBlock ?? 0);
  if (startBlock === 0) return true;
  const isRegistered = findChain(context.chain.id)?.factory.toLowerCase() === factory;
  if (isRegistered && findChainDefaults(context.chain.id)?.startBlock === startBlock) return true;
  const code = await context.client.getCode({ address: factory, blockNumber: BigInt(startBlock) - 1n });
  return code === undefined || code === '0x';
}
