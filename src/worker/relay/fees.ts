/** Wei per unit of gas. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** What the chain asks for, in wei per unit of gas: the base fee of its newest block, and the tip that it suggests. */
export type Market = { readonly baseFeePerGas: bigint; readonly tip: bigint };

/** A base fee rises by an eighth a block at most, so this is good for five full blocks. */
const headroom = 2n;
/** Nodes take a replacement that offers at least a tenth more of both; an eighth is the safe step. */
const step = { numerator: 9n, denominator: 8n };

/** The fees for a transaction to be mined soon. Undefined while the base fee alone reaches the cap: it could not be mined. */
export function suggestFees({ baseFeePerGas, tip }: Market, cap: bigint): Fees | undefined {
  if (baseFeePerGas >= cap) return undefined;
  const maxFeePerGas = smaller(baseFeePerGas * headroom + tip, cap);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(tip, maxFeePerGas) };
}

/**
 * Fees that nodes take in place of the previous ones. Undefined where the cap leaves no room for that, or the base fee has reached
 * it: then nothing would be mined sooner, and all would be paid once the base fee has fallen.
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
