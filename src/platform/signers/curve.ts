import { createRequire } from 'node:module';
import { recover, signRecoverable } from 'tiny-secp256k1';

/** Signatures of secp256k1. Hashes and private keys have 32 bytes, signatures 64: `r` and `s`. */
export type Curve = {
  /** The same hash and key give the same signature (RFC 6979), with `s` in the lower half. */
  sign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recoveryId: number };
  /** The uncompressed public key, 65 bytes; undefined if the signature has none. */
  recover(hash: Uint8Array, signature: Uint8Array, recoveryId: number): Uint8Array | undefined;
};

/** The number of the curve's points. */
const order = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');

/** In WebAssembly, for every platform. */
export const portableCurve: Curve = {
  sign: (hash, privateKey) => signRecoverable(hash, privateKey),
  recover: (hash, signature, recoveryId) =>
    ifSound(() => recover(hash, signature, recoveryId === 1 ? 1 : 0, false) ?? undefined),
};

/** The bindings of the `secp256k1` package. */
type Bindings = {
  ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(
    signature: Uint8Array,
    recoveryId: number,
    hash: Uint8Array,
    isCompressed: boolean,
  ): Uint8Array;
};

/**
 * Bitcoin Core's library; undefined where the package has no binary that can be loaded. A recovery takes 60 µs instead
 * of 240, a signature 40 instead of 105. The package's own fallback in JavaScript is never loaded.
 */
export function loadNativeCurve(): Curve | undefined {
  try {
    const bindings: Bindings = createRequire(import.meta.url)('secp256k1/bindings.js');
    return {
      sign(hash, privateKey) {
        // It takes the nonce from the hash itself, and RFC 6979 from its remainder.
        if (Buffer.compare(hash, order) >= 0) return portableCurve.sign(hash, privateKey);
        const { signature, recid } = bindings.ecdsaSign(hash, privateKey);
        return { signature, recoveryId: recid };
      },
      recover: (hash, signature, recoveryId) =>
        ifSound(() => bindings.ecdsaRecover(signature, recoveryId, hash, false)),
    };
  } catch {
    return undefined;
  }
}

export const curve = loadNativeCurve() ?? portableCurve;

/** Both libraries throw for a signature that no key can have made. */
function ifSound<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
