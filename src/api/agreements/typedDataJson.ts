import { hashPermit } from '../../protocol/hashPermit.ts';
import type { Signable } from './signable.ts';

/** Wallets do not build the domain type: it must be among the types. */
const EIP712Domain = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

/**
 * Typed data as JSON for `eth_signTypedData_v4`, integers of the message as decimal text, with the signed
 * digest and the given extra members.
 */
export function writeSignable({
  typedData,
  nonce,
  deadline,
  verdict,
  ...others
}: Omit<Signable, 'minedNonce'>): string {
  const { domain, types, primaryType, message } = typedData;
  const signable = {
    domain,
    types: { EIP712Domain, ...types },
    primaryType,
    message,
    digest: hashPermit(typedData),
    deadline: Number(deadline),
    nonce,
    ...others,
    verdict,
  };
  return JSON.stringify(signable, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
}
