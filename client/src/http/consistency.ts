/** The most tokens that the service accepts in one read. */
const mostTokens = 10;

/** The tokens of writes that no read has shown yet. */
export type Tokens = {
  /** The tokens to send with a read, and which of the stored ones are among them. */
  take(own: string | undefined): {
    readonly consistency: string | undefined;
    readonly asked: readonly string[];
  };
  /** A read has shown these writes: from now on every read does. */
  settle(asked: readonly string[]): void;
  keep(token: string | undefined): void;
};

/** Stores tokens, so that reads wait for the same client's writes. */
export function createTokens(isOn: boolean): Tokens {
  let kept: string[] = [];
  return {
    take(own) {
      const asked = kept;
      const all = own === undefined ? asked : [...asked, own];
      return { consistency: all.length > 0 ? all.join(',') : undefined, asked };
    },
    settle(asked) {
      kept = kept.filter((token) => !asked.includes(token));
    },
    keep(token) {
      if (isOn && token !== undefined)
        kept = [...kept.filter((other) => other !== token), token].slice(-mostTokens);
    },
  };
}
