import { checksumAddress } from 'viem';

/** This part loads viem: pages load it when somebody connects a wallet, or checks evidence. */

/** An address in any case, as it is shown. */
export function writeChecksum(address: string): `0x${string}` {
  return checksumAddress(`0x${address.slice(2).toLowerCase()}`);
}
