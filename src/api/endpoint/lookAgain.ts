/** A request that comes this soon needs no second look: a revocation may take longer to arrive. */
const promptMs = 100;

/**
 * Returns a function that checks the access of a request again once time has passed: its body may come slowly, and it may
 * wait for its turn. Meanwhile its key may be revoked.
 *
 * @param check throws if the access has ended.
 */
export function lookAgain(check: () => Promise<unknown>): () => Promise<void> {
  const since = performance.now();
  return async () => {
    if (performance.now() - since > promptMs) await check();
  };
}
