import type { Address, PublicClient } from 'viem';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { refuseNonce } from './matchPermit.ts';

/**
 * Why a permit is refused whose nonce another one holds: `stale_nonce` where the chain has taken that one since the nonce was
 * read, else `nonce_in_flight`. The chain is asked once more here, where nothing goes well, and nowhere else.
 */
export async function refuseHeldNonce(
  { contract, signer }: { readonly contract: Address; readonly signer: Address },
  { nonce, client }: { readonly nonce: bigint; readonly client: PublicClient },
): Promise<RefusedError> {
  // The factory and the engine declare `nonces` alike.
  const call = {
    address: contract,
    abi: agreementEngineAbi,
    functionName: 'nonces',
    args: [signer],
  } as const;
  // Without an answer what was known before counts.
  const current = await client.readContract(call).catch(() => nonce);
  return current > nonce ? refuseNonce(nonce, current) : refuseNonceInFlight(nonce);
}

export function refuseNonceInFlight(nonce: bigint): RefusedError {
  const message = 'Another permit of this signer with this nonce is on its way.';
  return new RefusedError('nonce_in_flight', message, { facts: { nonce: nonce.toString() } });
}
