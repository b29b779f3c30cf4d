type Mined = { readonly blockNumber?: number | undefined };

/**
 * How many blocks confirm an input, its own block included; 0 for one that is in no block.
 *
 * @param headBlock the newest block that the service knows of the chain; it may know the input's block earlier.
 */
export function countConfirmations({ blockNumber }: Mined, headBlock: number | null): number {
  if (blockNumber === undefined) return 0;
  return Math.max(headBlock ?? 0, blockNumber) - blockNumber + 1;
}
