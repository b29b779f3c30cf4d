/** Wei per unit of gas. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** The chain's current fees, in wei per unit of gas: the base fee of its newest block, and its suggested tip. */
export type Market = { readonly baseFeePerGas: bigint; readonly tip: bigint };

/** A base fee rises by at most an eighth per block, so this is enough for five full blocks. */
const headroom = 2n;
/** Nodes accept a replacement that offers at least a tenth more of both fees; an eighth is safe. */
const step = { numerator: 9n, denominator: 8n };

/**
 * Fees with which a transaction is mined soon. Undefined while the base fee alone reaches the cap: it could
 * not be mined.
 */
export function suggestFees({ baseFeePerGas, tip }: Market, cap: bigint): Fees | undefined {
  if (baseFeePerGas >= cap) return undefined;
  const maxFeePerGas = smaller(baseFeePerGas * headroom + tip, cap);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(tip, maxFeePerGas) };
}

/**
 * Fees for a replacement that nodes accept. Undefined if the cap leaves no room, or if the base fee has
 * reached the cap: then nothing would be mined sooner, and the higher fee would be paid once the base fee has
 * fallen.
 */
export function raiseFees(previous: Fees, market: Market, cap: bigint): Fees | undefined {
  const wanted = suggestFees(market, cap);
  if (!wanted) return undefined;
  const maxFeePerGas = larger(raise(previous.maxFeePerGas), wanted.maxFeePerGas);
  const maxPriorityFeePerGas = larger(raise(previous.maxPriorityFeePerGas), wanted.maxPriorityFeePerGas);
  return maxFeePerGas > cap ? undefined : { maxFeePerGas, maxPriorityFeePerGas };
}

function raise(fee: bigint): bigint {
  return (fee * step.numerator) / step.denominator + 1n;
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
