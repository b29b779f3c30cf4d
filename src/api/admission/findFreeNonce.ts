/** The first nonce, from the mined one on, that none of the permits holds. */
export function findFreeNonce(held: readonly { readonly nonce: bigint }[], mined: bigint): bigint {
  const nonces = new Set(held.map(({ nonce }) => nonce));
  let next = mined;
  while (nonces.has(next)) next++;
  return next;
}
