import {
  getTypesForEIP712Domain,
  type Hex,
  hashStruct,
  hexToBytes,
  type TypedDataDefinition,
  type TypedDataDomain,
} from 'viem';
import { keccak256Bytes } from '../../protocol/keccak.ts';

/** Number of cached contracts; one more clears the cache. */
const mostSeparators = 2_000;
const separators = new Map<string, Hex>();

/**
 * The digest of typed data, equal to viem's `hashTypedData`; the part common to all permits of a contract is
 * cached.
 */
export function hashPermit({ domain = {}, types, primaryType, message }: TypedDataDefinition): Hex {
  const struct = hashStruct({ data: message, types, primaryType });
  return keccak256Bytes(hexToBytes(`0x1901${separate(domain).slice(2)}${struct.slice(2)}`));
}

function separate(domain: TypedDataDomain): Hex {
  const { name, version, chainId, verifyingContract, salt } = domain;
  const key = JSON.stringify([name, version, chainId?.toString(), verifyingContract, salt]);
  const known = separators.get(key);
  if (known !== undefined) return known;
  if (separators.size >= mostSeparators) separators.clear();
  const types = { EIP712Domain: getTypesForEIP712Domain({ domain }) };
  const separator = hashStruct({ data: { ...domain }, types, primaryType: 'EIP712Domain' });
  separators.set(key, separator);
  return separator;
}
