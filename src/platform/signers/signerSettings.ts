import type { Hex } from 'viem';
import type { KmsKey } from './kmsSigner.ts';

/** The signing keys of one chain's relayer wallets. */
export type SignerSettings = { readonly keys: readonly Hex[]; readonly kms: readonly KmsKey[] };
