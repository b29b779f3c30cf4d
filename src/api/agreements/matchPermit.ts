import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Address, Hex, PublicClient, TypedDataDefinition } from 'viem';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { hashPermit } from '../../protocol/hashPermit.ts';
import { findSignatureFault, type PermitSignature, recoverSigner } from './permitSignature.ts';

/** A permit as sent, with its claimed signer. */
export type SentPermit = {
  readonly signer: Address;
  readonly signature: PermitSignature;
  /** The permit's typed data, if it was made for this nonce. */
  buildTypedData(nonce: bigint): TypedDataDefinition;
  /** Explains what else the signer may have signed, if the signature fits that. */
  findHint(recover: (digest: Hex) => Address | undefined, nonce: bigint): Promise<string | undefined>;
};

/**
 * How far from the signer's nonce in the contract a signature is searched for. A permit for a nonce further
 * away is refused as a mismatch: each nonce costs a recovery, for signatures that fit none too.
 */
const nearNonces = 8n;
/**
 * A recovery with its digest takes about half a millisecond of this thread, and each distance has two: after
 * this many, other requests run.
 */
const distancesPerTurn = 2n;

/**
 * The digest that the permit signs, for the signer's current nonce.
 *
 * @param options.minedNonce the contract's nonce, if open permits lie between it and `nonce`: it is searched too.
 * @param options.client says whether the signer is a contract; undefined if no node is to be asked.
 * @throws RefusedError `stale_nonce` or `future_nonce` if the signature is valid for a nearby nonce, otherwise
 * `signature_mismatch` with what was expected.
 */
export async function matchPermit(
  permit: SentPermit,
  { nonce, client, minedNonce }: { nonce: bigint; client: PublicClient | undefined; minedNonce?: bigint },
): Promise<Hex> {
  const { signer, signature } = permit;
  const typedData = permit.buildTypedData(nonce);
  const digest = hashPermit(typedData);
  const recovered = recoverSigner(digest, signature);
  const refuse = (why: string, hint?: string) =>
    new RefusedError('signature_mismatch', hint ? `${why} ${hint}` : why, {
      field: 'signature',
      facts: {
        signer,
        recoveredAddress: recovered ?? null,
        digest,
        domain: typedData.domain,
        primaryType: typedData.primaryType,
        message: typedData.message,
      },
    });
  const fault = findSignatureFault(signature);
  if (fault) throw refuse(fault);
  if (recovered === signer) return digest;

  const isMined = minedNonce !== undefined && findDigestFor(permit, minedNonce) !== undefined;
  const signed = isMined ? minedNonce : await findSignedNonce(permit, nonce);
  if (signed !== undefined) throw refuseNonce(signed, nonce);
  const hint =
    (await permit.findHint((other) => recoverSigner(other, signature), nonce)) ??
    (await findContractHint(client, signer));
  throw refuse('The signature was not made by the signer for the content of this request.', hint);
}

/** Refuses a permit for any nonce but the contract's current one. */
export function refuseNonce(signed: bigint, current: bigint): RefusedError {
  const facts = { signedNonce: signed.toString(), currentNonce: current.toString() };
  if (signed < current)
    return new RefusedError('stale_nonce', 'The permit is signed for a nonce that was already used.', {
      facts,
    });
  return new RefusedError('future_nonce', 'The permit is signed for a future nonce.', {
    facts,
  });
}

/** The permit's digest, if it was made for this nonce; otherwise undefined. */
export function findDigestFor(permit: SentPermit, nonce: bigint): Hex | undefined {
  const digest = hashPermit(permit.buildTypedData(nonce));
  return recoverSigner(digest, permit.signature) === permit.signer ? digest : undefined;
}

/** The nearby nonce for which the signature is valid, if any; the nearest are tried first. */
async function findSignedNonce(permit: SentPermit, current: bigint): Promise<bigint | undefined> {
  for (let distance = 1n; distance <= nearNonces; distance++) {
    for (const nonce of [current - distance, current + distance]) {
      if (nonce >= 0n && findDigestFor(permit, nonce) !== undefined) return nonce;
    }
    if (distance % distancesPerTurn === 0n) await nextTurn();
  }
  return undefined;
}

/** Contracts do not accept signatures of other contracts here, but their owners may not know that. */
async function findContractHint(
  client: PublicClient | undefined,
  signer: Address,
): Promise<string | undefined> {
  if (!client)
    return 'Permits must be signed by an externally owned account; contract signatures are not supported.';
  const code = await client.getCode({ address: signer }).catch(() => undefined);
  const isDelegated = code?.startsWith('0xef0100');
  if (!code || isDelegated) return undefined;
  return 'The signer is a contract, but permits must be signed by an externally owned account.';
}
