import { readWalletError, WalletError } from './walletError.ts';

type Asked = { readonly method: string; readonly params?: unknown };

/** A browser wallet (EIP-1193) that is not trusted: it may answer with any value, or never. */
export type Provider = {
  /** @throws WalletError alone. */
  request(asked: Asked): Promise<unknown>;
  /** Whether an answer is outstanding. */
  isAsked(): boolean;
  /** Stops waiting; later answers are ignored. */
  giveUp(): void;
  /** Calls back when `isAsked` changes. @returns a function that ends the watch. */
  watch(onChange: () => void): () => void;
};

const longestAnswer = 1_000;
const mostItems = 5;

/** Keeps only texts and lists of texts: the console needs nothing else. */
function readAnswer(answer: unknown): string | readonly string[] | null {
  if (Array.isArray(answer)) return answer.slice(0, mostItems).map(String);
  return typeof answer === 'string' && answer.length <= longestAnswer ? answer : null;
}

/** @param ask the wallet's function; it may throw, or return something other than a promise. */
export function guardProvider(ask: (asked: Asked) => unknown): Provider {
  const waiting = new Set<() => void>();
  const watchers = new Set<() => void>();
  const tell = () => {
    for (const onChange of watchers) onChange();
  };
  return {
    request: ({ method, params }) =>
      new Promise((resolve, reject) => {
        const giveUp = () => end(() => reject(new WalletError('given_up')));
        const end = (settle: () => void) => {
          if (!waiting.delete(giveUp)) return;
          settle();
          tell();
        };
        waiting.add(giveUp);
        tell();
        Promise.resolve()
          .then(() => ask(params === undefined ? { method } : { method, params }))
          .then(readAnswer)
          .then(
            (answer) => end(() => resolve(answer)),
            (rejection) => end(() => reject(readWalletError(rejection))),
          );
      }),
    isAsked: () => waiting.size > 0,
    giveUp() {
      for (const give of [...waiting]) give();
    },
    watch(onChange) {
      watchers.add(onChange);
      return () => void watchers.delete(onChange);
    },
  };
}
