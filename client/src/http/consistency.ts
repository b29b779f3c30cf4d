/** The most tokens that the service accepts in one read, without the caller's own. */
const mostTokens = 19;

/** The token of a write, and the names of the written agreement in lower case, separated by commas. */
type Kept = { readonly token: string; readonly names: string };

/** The tokens of writes that no read has shown yet. */
export type Tokens = {
  /** The tokens to send with a read: of writes to this agreement, or of all for a list of agreements. */
  take(read: { readonly path: string; readonly id: string | undefined }): readonly string[];
  /** Later reads do not ask for these: one has shown the writes, or the service does not know them any more. */
  settle(asked: readonly string[]): void;
  /** @param names ids and addresses of what was written; the agreement's are among them. */
  keep(token: string | undefined, names: readonly (string | undefined)[]): void;
};

/** Stores tokens, so that reads of what this client has written wait for the writes, and other reads do not. */
export function createTokens(isOn: boolean): Tokens {
  let kept: Kept[] = [];
  return {
    take: ({ path, id }) =>
      kept
        .filter(({ names }) => (id ? names.includes(id.toLowerCase()) : path === '/agreements'))
        .map(({ token }) => token),
    settle(asked) {
      kept = kept.filter(({ token }) => !asked.includes(token));
    },
    keep(token, names) {
      if (isOn && token) kept = [...kept, { token, names: names.join().toLowerCase() }].slice(-mostTokens);
    },
  };
}
