import { randomBytes } from 'node:crypto';
import { BaseError, bytesToHex, ContractFunctionRevertedError, type PublicClient, parseAbi } from 'viem';

/**
 * A transaction's cost beside its gas, in wei. Chains of the OP stack, such as Base, charge for publishing
 * its bytes on Ethereum, whatever its fees are. Zero on other chains.
 */
export type DataFee = { readonly base: bigint; readonly perByte: bigint };

export const noDataFee: DataFee = { base: 0n, perByte: 0n };

/** The predeployed fee oracle, at the same address on every chain of the OP stack. */
const oracle = {
  address: '0x420000000000000000000000000000000000000F',
  abi: parseAbi([
    'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
    'function getL1Fee(bytes data) view returns (uint256)',
  ]),
} as const;

/** The fee is linear in the size, so two sizes determine it for all sizes. */
const [small, large] = [500, 2_500];
const goodForMs = 15_000;
/** The bytes of a transaction with one call, including the signature and without the call's data. */
const envelopeBytes = 130;

/** The highest fee of a transaction with that much call data. */
export function computeDataFee({ base, perByte }: DataFee, callDataBytes: number): bigint {
  return base + perByte * BigInt(callDataBytes + envelopeBytes);
}

/** Reads a chain's fee, and again after a while. A chain without the contract is asked only once. */
export function createDataFeeReader(client: PublicClient): () => Promise<DataFee> {
  let isCharged: boolean | undefined;
  let known: { fee: DataFee; until: number } | undefined;
  return async () => {
    isCharged ??= (await client.getCode({ address: oracle.address })) !== undefined;
    if (!isCharged) return noDataFee;
    if (!known || known.until <= performance.now())
      known = { fee: await readFee(client), until: performance.now() + goodForMs };
    return known.fee;
  };
}

async function readFee(client: PublicClient): Promise<DataFee> {
  const [less, more] = await Promise.all([small, large].map((size) => readFeeOf(client, size)));
  if (less === undefined || more === undefined || more < less) return noDataFee;
  const bytes = BigInt(large - small);
  // Rounded up, so that the result is never too low.
  const perByte = (more - less + bytes - 1n) / bytes;
  const rest = less - perByte * BigInt(small);
  return { base: rest > 0n ? rest : 0n, perByte };
}

/** Oracles from before the Fjord upgrade only price given bytes: these cannot be compressed. */
async function readFeeOf(client: PublicClient, size: number): Promise<bigint> {
  try {
    return await client.readContract({ ...oracle, functionName: 'getL1FeeUpperBound', args: [BigInt(size)] });
  } catch (error) {
    if (
      !(error instanceof BaseError) ||
      !error.walk((cause) => cause instanceof ContractFunctionRevertedError)
    )
      throw error;
    return client.readContract({
      ...oracle,
      functionName: 'getL1Fee',
      args: [bytesToHex(randomBytes(size))],
    });
  }
}
