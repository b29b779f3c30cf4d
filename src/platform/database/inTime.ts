/**
 * What the database answers, if it does so within this time. For a connection whose later statements may take long.
 *
 * @throws an error for which `isDatabaseAway` holds. The connection may never answer then: close it.
 */
export async function inTime<Answer>(answer: Promise<Answer>, timeoutMs: number): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('Query read timeout')), timeoutMs);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
