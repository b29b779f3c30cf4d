import { type Hex, hashTypedData, type TypedDataDefinition } from 'viem';
import type { SignableTypedData } from '../types.ts';

/** The service asks to sign something other than the document and the values give. Nothing was signed. */
export class TypedDataMismatchError extends Error {
  override readonly name = 'TypedDataMismatchError';
  /** The differing part, such as `message.docHash` or `domain.verifyingContract`. */
  declare readonly differences: readonly string[];
  /** The locally computed digest. */
  declare readonly expectedDigest: Hex;
  /** The service's digest of its own typed data. */
  declare readonly offeredDigest: string;

  constructor(facts: { differences: readonly string[]; expectedDigest: Hex; offeredDigest: string }) {
    super(`The typed data differ: ${facts.differences.join(', ')}.`);
    Object.assign(this, facts);
  }
}

/**
 * The service already says that it would refuse the permit, chose a deadline that is not worth a signature, or shows that
 * the contract is not what its document says.
 * Nothing was signed.
 */
export class PermitRefusedError extends Error {
  override readonly name = 'PermitRefusedError';
  /** Such as `state_not_accepting`; `deadline_too_far` for a deadline more than a day ahead, or `rules_differ`. */
  readonly reason: string | undefined;

  constructor({ reason, message }: { reason?: string | undefined; message: string }) {
    super(message);
    this.reason = reason;
  }
}

/** Locally computed typed data. */
export type ComputedTypedData = TypedDataDefinition & {
  readonly domain: Readonly<Record<string, unknown>>;
  readonly message: Readonly<Record<string, unknown>>;
};

/**
 * Compares the service's typed data with the locally computed ones, which are signed.
 *
 * @returns the digest that is signed.
 * @throws TypedDataMismatchError if they differ.
 */
export function checkTypedData(computed: ComputedTypedData, offered: SignableTypedData): Hex {
  const expectedDigest = hashTypedData(computed);
  const differences = [
    ...compare('domain', computed.domain, offered.domain),
    ...compare('message', computed.message, offered.message),
    ...(computed.primaryType === offered.primaryType ? [] : ['primaryType']),
    ...(expectedDigest === offered.digest ? [] : ['digest']),
  ];
  if (differences.length === 0) return expectedDigest;
  throw new TypedDataMismatchError({ differences, expectedDigest, offeredDigest: offered.digest });
}

type Members = Readonly<Record<string, unknown>>;

function compare(path: string, computed: Members, offered: Members): string[] {
  const names = new Set([...Object.keys(computed), ...Object.keys(offered)]);
  const text = (value: unknown) => String(value).toLowerCase();
  return [...names]
    .filter((name) => text(computed[name]) !== text(offered[name]))
    .map((name) => `${path}.${name}`);
}
