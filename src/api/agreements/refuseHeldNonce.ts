import type { Address, PublicClient } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { refuseNonce } from './matchPermit.ts';

/**
 * The refusal of a permit whose nonce is held: `stale_nonce` if that permit was mined since the nonce was read,
 * otherwise `nonce_in_flight`. Only this rare case asks the chain once more.
 */
export async function refuseHeldNonce(
  { contract, signer }: { readonly contract: Address; readonly signer: Address },
  { nonce, client }: { readonly nonce: bigint; readonly client: PublicClient },
): Promise<RefusedError> {
  // The factory and the engine declare `nonces` in the same way.
  const call = {
    address: contract,
    abi: agreementEngineAbi,
    functionName: 'nonces',
    args: [signer],
  } as const;
  // Without an answer the earlier data count.
  const current = await client.readContract(call).catch(() => nonce);
  return current > nonce ? refuseNonce(nonce, current) : refuseNonceInFlight(nonce);
}

export function refuseNonceInFlight(nonce: bigint): RefusedError {
  const message = 'Another permit of this signer with this nonce is pending.';
  return new RefusedError('nonce_in_flight', message, { facts: { nonce: nonce.toString() } });
}
