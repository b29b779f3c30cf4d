import type { Hex } from 'viem';
import type { WireValue } from '../values.ts';
import type { SignedBy } from './evidenceDeployment.ts';
import type { EvidenceLayout } from './evidenceFile.ts';
import type { RefusalReason } from './refusal.ts';

/**
 * How far a file proves its content. `signed` and `included` need a readable signature for every act. At
 * `anchored`, confirmed blocks show what the chain accepted, also the acts without a readable signature.
 */
export const evidenceLevels = ['none', 'signed', 'included', 'anchored'] as const;
export type EvidenceLevel = (typeof evidenceLevels)[number];

/**
 * The deployment or an input, for people to read. Names are those of the document, cut after 80 characters and
 * without characters that hide or reorder others.
 */
export type EvidenceAct = {
  /** 0 for the deployment, then the inputs from 1. */
  readonly position: number;
  /** Who acted, in lower case; null if unknown. Without a signature, only the block names the account. */
  readonly actor: Hex | null;
  /** The document's names for that address at that time, at most 10. */
  readonly roles: readonly string[];
  readonly by: SignedBy;
  /** The document's name of the input, or its hash; null for the deployment. */
  readonly input: string | null;
  /** What the contract read. A null value is not readable, or shares its bytes with others. */
  readonly values: readonly { readonly name: string; readonly value: WireValue | null }[];
  /** How many further data fields the payload has. The contract ignores them: nothing checked their content. */
  readonly ignored: number;
  readonly fromState: string | null;
  readonly toState: string;
  /** Unix seconds of the block. */
  readonly time: number;
  readonly blockNumber: number;
  readonly transactionHash: Hex;
  /** The contract that the transition called, if any. */
  readonly called: Hex | null;
};

/** What a valid file proves. The three lists are sentences for people. */
export type EvidenceFinding = {
  readonly ok: true;
  readonly level: EvidenceLevel;
  readonly name: string;
  readonly chain: { readonly chainId: number; readonly name: string };
  readonly agreement: {
    readonly address: Hex;
    readonly owner: Hex;
    readonly docUri: string;
    readonly docHash: Hex;
    readonly state: string;
  };
  /** The document, character by character as hashed. */
  readonly document: string;
  readonly acts: readonly EvidenceAct[];
  /**
   * The block at which the contract's storage agrees with the steps, if the block is the chain's and the layout is right. Null
   * without a proof of the storage, or if a step is not included: then a made-up block could prove anything.
   */
  readonly storage: {
    readonly blockNumber: number;
    readonly blockHash: Hex;
    /** Unix seconds. */
    readonly time: number;
    /** The slots in which the values were looked up. */
    readonly layout: EvidenceLayout;
    /** Whether the caller knew the layout. If not, it is the file's own statement. */
    readonly isLayoutKnown: boolean;
    /** Of the accounts that could have signed permits: how many were compared by their nonces, and how many not. */
    readonly accounts: { readonly checked: number; readonly others: number };
  } | null;
  /** The blocks that the file relies on. `isAnchored`: it has a header, and the caller trusts its hash or its signer. */
  readonly blocks: readonly { readonly number: number; readonly hash: Hex; readonly isAnchored: boolean }[];
  /** What the file says of its own making. Nothing checks it. */
  readonly made: { readonly at: string; readonly by: string; readonly software: string };
  readonly established: readonly string[];
  readonly trusted: readonly string[];
  readonly notShown: readonly string[];
};

export type RefusedEvidence = {
  readonly ok: false;
  readonly reason: RefusalReason;
  /** The faulty part, such as `inputs[3].permit`. */
  readonly path: string;
  readonly message: string;
};

export type EvidenceVerdict = EvidenceFinding | RefusedEvidence;

/** Whether every act carries a readable signature. */
export function isSigned(acts: readonly Pick<EvidenceAct, 'by'>[]): boolean {
  return acts.every(({ by }) => by !== 'nothing');
}

/** Whether a level is at least another one. */
export function reachesLevel(level: EvidenceLevel, demanded: EvidenceLevel): boolean {
  return evidenceLevels.indexOf(level) >= evidenceLevels.indexOf(demanded);
}
