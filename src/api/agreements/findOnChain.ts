import type { Address, PublicClient } from 'viem';
import { ChainUnavailableError, RefusedError } from '../../platform/errors/serviceError.ts';
import { clientOf } from '../../platform/nodes/clients.ts';
import { chainUnavailable } from '../../platform/nodes/unavailable.ts';
import type { Services } from '../../records/agreements/services.ts';
import { type IndexedAgreement, type IndexSight, lookIntoIndex } from './indexedAgreement.ts';

export type FoundAgreement = IndexedAgreement & {
  /** The chain's latest block at the look-up, as a node says. */
  readonly latestBlock: bigint;
};

/**
 * The agreement of a followed factory at an address. If the chain has a contract there that the index does
 * not show, this waits a moment for the index to catch up.
 *
 * @throws RefusedError `unknown_agreement` if the chain has no such agreement.
 * @throws ChainUnavailableError if the chain cannot be asked, or the index does not come that far in time.
 */
export async function findOnChain(
  { chainId, address }: { chainId: number; address: Address },
  services: Services,
): Promise<FoundAgreement> {
  const client = clientOf(chainId, services);
  const look = () => lookIntoIndex(services.database, { chainId, address });
  const [latestBlock, first] = await Promise.all([readLatestBlock(client), look()]);
  const isConclusive = ({ agreement, head }: IndexSight) =>
    agreement !== undefined || (head !== undefined && head >= latestBlock);
  if (!isConclusive(first) && !(await hasCode(client, address))) throw refuseUnknown(chainId, address);
  const { agreement, head } = await services.changes.waitFor({
    ids: [String(chainId)],
    read: look,
    isSettled: isConclusive,
    timeoutMs: services.limits.consistencyWaitMs,
  });
  if (agreement) return { ...agreement, latestBlock };
  if (head !== undefined && head >= latestBlock) throw refuseUnknown(chainId, address);
  throw new ChainUnavailableError('The index is behind the chain.');
}

async function readLatestBlock(client: PublicClient): Promise<bigint> {
  return client.getBlockNumber().catch((cause: unknown) => {
    throw chainUnavailable(cause);
  });
}

async function hasCode(client: PublicClient, address: Address): Promise<boolean> {
  const code = await client.getCode({ address }).catch((cause: unknown) => {
    throw chainUnavailable(cause);
  });
  return code !== undefined && code !== '0x';
}

function refuseUnknown(chainId: number, address: Address): RefusedError {
  const message = 'No agreement from a known factory exists at this address on this chain.';
  return new RefusedError('unknown_agreement', message, { field: 'address', facts: { chainId, address } });
}
