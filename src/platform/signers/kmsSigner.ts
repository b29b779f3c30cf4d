import { createPublicKey } from 'node:crypto';
import { type Address, bytesToHex, type Hash, type Hex, hexToBytes, numberToHex } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { parseDerSignature } from './derSignature.ts';
import { recoverAddress } from './recoverAddress.ts';
import { type Signer, SigningError, type TransactionSignature } from './signer.ts';

/** One key of AWS KMS: a key pair of type ECC_SECG_P256K1 for signing. */
export type KmsKey = {
  /** Id, ARN or alias. */
  readonly keyId: string;
  /** Undefined: from the environment or the AWS profile. */
  readonly region: string | undefined;
  /** An endpoint instead of the region's own. */
  readonly endpoint: string | undefined;
};

export type KmsTimes = {
  /** Per answer; throttled and failed requests are retried, `attempts` in total. */
  readonly requestMs: number;
  readonly attempts: number;
  /** Per signature, with all attempts. */
  readonly signMs: number;
};

const usualTimes: KmsTimes = { requestMs: 3_000, attempts: 4, signMs: 10_000 };

/**
 * A signer whose key never leaves AWS KMS. Credentials come from the usual places (the AWS_… variables, a
 * profile, the role of the machine). The public key is requested once, here; the library is loaded only when
 * this is called.
 *
 * @throws SigningError if KMS does not give the public key, or it is not one of secp256k1.
 */
export async function openKmsSigner(key: KmsKey, times: KmsTimes = usualTimes): Promise<Signer> {
  const { KMSClient, GetPublicKeyCommand, SignCommand } = await import('@aws-sdk/client-kms');
  const client = new KMSClient({
    ...(key.region !== undefined && { region: key.region }),
    ...(key.endpoint !== undefined && { endpoint: key.endpoint }),
    maxAttempts: times.attempts,
    requestHandler: {
      connectionTimeout: times.requestMs,
      requestTimeout: times.requestMs,
      throwOnRequestTimeout: true,
    },
  });
  const { keyId } = key;
  const ask = <Answer>(send: (abortSignal: AbortSignal) => Promise<Answer>) =>
    send(AbortSignal.timeout(times.signMs)).catch((cause) => {
      throw new SigningError(`AWS KMS request for the key ${keyId} failed: ${describe(cause)}`, { cause });
    });
  const { PublicKey } = await ask((abortSignal) =>
    client.send(new GetPublicKeyCommand({ KeyId: keyId }), { abortSignal }),
  );
  const address = readAddress(PublicKey, keyId);
  return {
    address,
    isLocal: false,
    async sign(hash) {
      const { Signature } = await ask((abortSignal) =>
        client.send(
          new SignCommand({
            KeyId: keyId,
            Message: hexToBytes(hash),
            MessageType: 'DIGEST',
            SigningAlgorithm: 'ECDSA_SHA_256',
          }),
          { abortSignal },
        ),
      );
      return readSignature(Signature, { hash, address, keyId });
    },
  };
}

function readAddress(spki: Uint8Array | undefined, keyId: string): Address {
  try {
    const key = createPublicKey({ key: Buffer.from(spki ?? []), format: 'der', type: 'spki' });
    const { crv, x = '', y = '' } = key.export({ format: 'jwk' });
    if (crv !== 'secp256k1') throw new RangeError(`the key is of type ${crv ?? 'unknown'}`);
    return publicKeyToAddress(bytesToHex(Buffer.concat([Buffer.of(4), decode(x), decode(y)])));
  } catch (cause) {
    const wanted = 'an ECC_SECG_P256K1 key pair is required';
    throw new SigningError(`The AWS KMS key ${keyId} cannot sign transactions: ${wanted}`, { cause });
  }
}

/** KMS does not return the parity of the signature; the right one recovers to the wallet. */
function readSignature(
  der: Uint8Array | undefined,
  { hash, address, keyId }: { hash: Hash; address: Address; keyId: string },
): TransactionSignature {
  let cause: unknown;
  try {
    const numbers = parseDerSignature(der ?? new Uint8Array());
    const [r, s] = [toWord(numbers.r), toWord(numbers.s)];
    for (const yParity of [0, 1] as const) {
      if (recoverAddress(hash, { r, s, yParity }) === address) return { r, s, yParity };
    }
  } catch (error) {
    cause = error;
  }
  throw new SigningError(`AWS KMS returned a signature that was not made with the key ${keyId}`, { cause });
}

function toWord(number: bigint): Hex {
  return numberToHex(number, { size: 32 });
}

function decode(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}

/** Only the service's own message: the library's additions are for its developers. */
function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
