import type { Address } from 'viem';

/** Somebody without a key, and the one record that is open to them. */
export type Guest = {
  /** The name for counting requests: the link, or the wallet. */
  readonly name: string;
  /** Absent for a wallet that has logged in. */
  readonly linkId: string | undefined;
  /** The owner of the record. */
  readonly principalId: string;
  readonly recordId: string;
  readonly may: 'read' | 'sign';
  /** The variable that the guest signs for; absent for the owner, and for a wallet that has logged in. */
  readonly participant: string | undefined;
  /**
   * The only wallet that can sign. Undefined if nobody can sign, and for a participant's link: `requireSigner` and
   * `readSharedRecord` find it among the record's values.
   */
  readonly wallet: Address | undefined;
};
