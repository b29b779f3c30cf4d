/** The service takes as many as this in one read. */
const mostTokens = 10;

/** The tokens of writes that no read has shown yet. */
export type Tokens = {
  /** What a read is to be sent with, and which of the tokens kept here are in it. */
  take(own: string | undefined): {
    readonly consistency: string | undefined;
    readonly asked: readonly string[];
  };
  /** A read has shown what these stand for: from now on every read does. */
  settle(asked: readonly string[]): void;
  keep(token: string | undefined): void;
};

/** Keeps tokens where reads are to wait for the writes of the same client. */
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
