import type { Hex } from 'viem';
import type { KmsKey } from './kmsSigner.ts';

/** What the relayer wallets of one chain sign with. */
export type SignerSettings = { readonly keys: readonly Hex[]; readonly kms: readonly KmsKey[] };
