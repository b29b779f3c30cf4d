import type { Address, Hex } from 'viem';
import type { WireValue } from '../values.ts';

/** The name and version of the format; a reader refuses any other. */
export const evidenceFormat = 'agreement-evidence/1';

/** The signed data, in the parts that `eth_signTypedData_v4` takes. Numbers are decimal text. */
export type EvidenceTypedData = {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: Hex;
  };
  readonly primaryType: string;
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly message: Readonly<Record<string, string>>;
};

/** A variable's value at the deployment. */
export type EvidenceValue = { readonly name: string; readonly value: WireValue };

/** A permit: the signer, the signed data, and the signature. */
export type EvidencePermit = {
  readonly signer: Hex;
  /** Decimal. */
  readonly nonce: string;
  /** Unix seconds, decimal. */
  readonly deadline: string;
  readonly v: number;
  readonly r: Hex;
  readonly s: Hex;
  readonly typedData: EvidenceTypedData;
};

/** A block that holds a transaction of the file or the proved state. */
export type EvidenceBlock = {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
  /** RLP; null if it cannot be recomputed from the node's answer. */
  readonly header: Hex | null;
};

/** A transaction with its receipt. The proofs are null if the block's header is null. */
export type EvidenceTransaction = {
  /** Index into `blocks`. */
  readonly block: number;
  /** Its place in the block. */
  readonly index: number;
  readonly hash: Hex;
  readonly raw: Hex;
  readonly proof: readonly Hex[] | null;
  readonly receipt: Hex;
  readonly receiptProof: readonly Hex[] | null;
};

export type EvidenceDeployment = {
  /** Index into `transactions`. */
  readonly transaction: number;
  /** The index of the receipt's log `AgreementDeployed`. */
  readonly log: number;
  readonly permit: EvidencePermit | null;
};

export type EvidenceInput = {
  readonly transaction: number;
  /** The index of the receipt's log `InputAccepted`. */
  readonly log: number;
  readonly inputId: Hex;
  readonly fromState: Hex;
  readonly toState: Hex;
  readonly payload: Hex;
  readonly permit: EvidencePermit | null;
};

/**
 * The storage slots in which the engine keeps the proved values, 32 bytes each; `nonces` is the slot of a
 * mapping. In a file, the layout is a statement by the file's maker: the account's proof shows which engine is
 * used, and no proof shows the engine's code.
 */
export type EvidenceLayout = {
  readonly docHash: Hex;
  readonly initialState: Hex;
  readonly currentState: Hex;
  readonly nonces: Hex;
};

export type EvidenceState = {
  /** Index into `blocks`; always the last. */
  readonly block: number;
  readonly layout: EvidenceLayout;
  readonly accountProof: readonly Hex[];
  /**
   * Proofs of docHash, initialState, currentState, then the nonces of all possible signers in ascending
   * order.
   */
  readonly storage: readonly StorageProof[];
};

export type StorageProof = {
  /** `docHash`, `initialState`, `currentState`, or the address whose nonce it is. */
  readonly of: string;
  /** 32 bytes; zero if nothing is stored. */
  readonly value: Hex;
  readonly proof: readonly Hex[];
};

/** Why parts are missing. */
export const evidenceNotes = ['no_state_proof', 'no_inclusion_proof', 'signature_not_readable'] as const;
export type EvidenceNote = (typeof evidenceNotes)[number];

/** A whole file, as described in `docs/evidence.md`. All hex is in lower case. */
export type EvidenceFile = {
  readonly format: typeof evidenceFormat;
  readonly made: { readonly at: string; readonly by: string; readonly software: string };
  readonly chain: { readonly chainId: number; readonly factory: Hex; readonly implementation: Hex };
  readonly agreement: {
    readonly address: Hex;
    readonly owner: Hex;
    readonly docUri: string;
    readonly docHash: Hex;
    readonly initialState: Hex;
    readonly currentState: Hex;
    readonly inputCount: number;
  };
  /** The hashed text, and the values that its parameters need, in ascending order of their names. */
  readonly document: { readonly text: string; readonly values: readonly EvidenceValue[] };
  readonly notes: readonly EvidenceNote[];
  readonly blocks: readonly EvidenceBlock[];
  readonly transactions: readonly EvidenceTransaction[];
  readonly deployment: EvidenceDeployment;
  readonly inputs: readonly EvidenceInput[];
  readonly state: EvidenceState | null;
};

/** An address or hash in lower case, as files have it. */
export function lowerHex(hex: Address | Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
