/**
 * What a node's answer to a raw transaction means. It is a hint: nothing is given up for it, and what it says of nonces is
 * checked against the chain.
 */
export type NodeAnswer = 'accepted' | 'nonceTooLow' | 'underpriced' | 'unfunded' | 'unavailable';

const answers: readonly [NodeAnswer, RegExp][] = [
  ['accepted', /already known|already imported|known transaction|already in mempool/i],
  ['nonceTooLow', /nonce too low|nonce is too low|invalid nonce/i],
  [
    'underpriced',
    /underpriced|fee cap|max fee per gas less than|below the minimum|fee too low|less than block base fee/i,
  ],
  ['unfunded', /insufficient funds|insufficient balance|doesn't have enough funds/i],
];

/** Classifies an error that a node's client threw. */
export function readNodeAnswer(error: unknown): NodeAnswer {
  const text = describe(error);
  return answers.find(([, pattern]) => pattern.test(text))?.[0] ?? 'unavailable';
}

/** The messages of an error and of its causes, in one bounded line. */
export function describe(error: unknown): string {
  const parts: string[] = [];
  for (let cause = error; cause instanceof Error && parts.length < 8; cause = cause.cause) {
    parts.push('details' in cause ? `${cause.message} ${String(cause.details)}` : cause.message);
  }
  return parts.join(' | ').replaceAll(/\s+/g, ' ').slice(0, 1_000) || String(error);
}
