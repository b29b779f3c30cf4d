import type { Hex } from 'viem';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { recoverAddress } from '../../platform/signers/recoverAddress.ts';
import { parseTransaction } from '../../protocol/evidence/blockParts.ts';
import { isCanonicalSignature } from '../../protocol/evidence/recoverSigner.ts';
import { bytesToHex } from '../../protocol/hex.ts';
import type { NodeTransaction } from './nodeShapes.ts';

/**
 * Requires that a transaction's signature is from the sender that the node names. Development chains can
 * impersonate senders: such a transaction carries somebody else's signature or none, and a file with it would
 * be refused or name the wrong sender.
 *
 * @throws RefusedError `not_provable` otherwise. Nobody signs a deposit of the OP stack: it passes.
 */
export function requireSenderSignature({ hash, from }: NodeTransaction, raw: Uint8Array): void {
  const { signing } = parseTransaction(bytesToHex(raw));
  if (!signing) return;
  const { r, s, yParity } = signing.signature;
  const found =
    isCanonicalSignature(signing.signature) &&
    recoverAddress(signing.hash, { r, s, yParity: yParity === 1 ? 1 : 0 });
  if (found && found.toLowerCase() === from) return;
  throw new RefusedError(
    'not_provable',
    'A transaction of the agreement has no sender signature, for example from an account impersonated on a development chain. It cannot be verified.',
    { facts: { transactionHash: hash } },
  );
}

/** The refusal for a transaction of a type that evidence files cannot hold. */
export function unknownKind(hash: Hex): RefusedError {
  return new RefusedError(
    'not_provable',
    'A transaction of the agreement has a type that evidence does not support.',
    { facts: { transactionHash: hash } },
  );
}
