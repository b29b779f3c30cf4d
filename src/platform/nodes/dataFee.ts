import { randomBytes } from 'node:crypto';
import { BaseError, bytesToHex, ContractFunctionRevertedError, type PublicClient, parseAbi } from 'viem';

/**
 * What a transaction costs beside its gas, in wei: chains of the OP stack, as Base is one, charge for publishing its bytes on
 * Ethereum, whatever its fees say. Nothing on other chains.
 */
export type DataFee = { readonly base: bigint; readonly perByte: bigint };

export const noDataFee: DataFee = { base: 0n, perByte: 0n };

/** The predeployed contract that knows the fee, at the same address on every chain of the OP stack. */
const oracle = {
  address: '0x420000000000000000000000000000000000000F',
  abi: parseAbi([
    'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
    'function getL1Fee(bytes data) view returns (uint256)',
  ]),
} as const;

/** The fee grows evenly with the size: two sizes tell it for all. */
const [small, large] = [500, 2_500];
const goodForMs = 15_000;
/** Of a transaction with one call: all but the call's data, the signature included. */
const envelopeBytes = 130;

/** The fee at most of a transaction with that much call data. */
export function computeDataFee({ base, perByte }: DataFee, callDataBytes: number): bigint {
  return base + perByte * BigInt(callDataBytes + envelopeBytes);
}

/** Reads a chain's fee, again after a while; a chain without the contract is asked once. */
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
  // Rounded up, so that what it tells is never too little.
  const perByte = (more - less + bytes - 1n) / bytes;
  const rest = less - perByte * BigInt(small);
  return { base: rest > 0n ? rest : 0n, perByte };
}

/** Oracles from before the Fjord upgrade tell the fee of given bytes alone: of such as cannot be compressed. */
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
