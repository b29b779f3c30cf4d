import { BaseError, RpcRequestError } from 'viem';

/**
 * Why a node refuses a transaction's bytes. nonceTooLow: the node sees the nonce as used. underpriced: it
 * wants higher fees. insufficientFunds. rejected: it says that it will never take these bytes. unavailable:
 * no usable answer.
 */
export const nodeObjections = [
  'nonceTooLow',
  'underpriced',
  'insufficientFunds',
  'rejected',
  'unavailable',
] as const;
export type NodeObjection = (typeof nodeObjections)[number];

/** A node's answer to a transaction's bytes. It is only a hint: the chain decides. */
export type NodeAnswer = 'accepted' | NodeObjection;

/** The words of geth, erigon, reth, nethermind, besu and Anvil, of Base and Linea, most specific first. */
const words: readonly (readonly [RegExp, NodeAnswer])[] = [
  [/already known|already imported|known transaction|already exists|alreadyknown/i, 'accepted'],
  [/nonce (is )?too low|old ?nonce|invalid nonce.*low|nonce_too_low/i, 'nonceTooLow'],
  [
    /underpriced|could not replace|replacementnotallowed|fee ?cap(?! exceeded)|fee too low|less than (the )?block base fee|max fee per gas|gas price (is )?(too low|below)|below (the )?min(imum)?|feetoolow|tip too low/i,
    'underpriced',
  ],
  [
    /insufficient ?(funds|balance)|upfront cost exceeds|not enough funds|doesn't have enough/i,
    'insufficientFunds',
  ],
  [
    /intrinsic gas|exceeds (the )?(block('s)? )?gas limit|exceeds max(imum)? (per-)?transaction gas limit|gas limit (is )?too high|gaslimitexceeded|fee cap exceeded|gas limit is greater than the cap|greater than the allowed max|line count .* is above the limit|exceeds the configured cap|oversized|exceeds max(imum)? (data|transaction)? ?size|invalid (sender|signature|chain ?id)|transaction type not supported/i,
    'rejected',
  ],
];

/**
 * Reads an error of `eth_sendRawTransaction`. An error that is not understood counts as no answer, and the
 * bytes are sent again.
 */
export function readNodeAnswer(error: unknown): NodeAnswer {
  const text = findNodeText(error);
  if (text === undefined) return 'unavailable';
  return words.find(([pattern]) => pattern.test(text))?.[1] ?? 'unavailable';
}

/** The node's own words in storable form, if the node refused; they contain no address of an endpoint. */
export function findNodeText(error: unknown): string | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const answer = error.walk((cause) => cause instanceof RpcRequestError);
  return answer instanceof RpcRequestError
    ? answer.details.replaceAll('\0', '').slice(0, maxText)
    : undefined;
}

const maxText = 300;
