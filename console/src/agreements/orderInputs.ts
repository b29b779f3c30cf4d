type Placed = { readonly blockNumber?: number | undefined };

/**
 * Inputs of a list by time, newest first, with the mined ones in the order of their blocks: an input that was sent
 * around the service has the time of its block, one that went through it the time of its acceptance.
 */
export function orderInputs<Input extends Placed>(inputs: readonly Input[]): Input[] {
  const mined = inputs
    .filter(isMined)
    .toSorted((one, other) => other.blockNumber - one.blockNumber)
    .values();
  return inputs.map((input) => (isMined(input) ? (mined.next().value ?? input) : input));
}

function isMined<Input extends Placed>(input: Input): input is Input & { readonly blockNumber: number } {
  return input.blockNumber !== undefined;
}
