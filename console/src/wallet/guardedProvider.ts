import { readWalletError, WalletError } from './walletError.ts';

type Asked = { readonly method: string; readonly params?: unknown };

/** A wallet of the browser (EIP-1193), of which nothing is expected: it may answer with anything, or never. */
export type Provider = {
  /** @throws WalletError alone. */
  request(asked: Asked): Promise<unknown>;
  /** Whether it was asked and has not answered yet. */
  isAsked(): boolean;
  /** Waits no longer: what it answers later is not heard. */
  giveUp(): void;
  /** Calls back when it is asked, and when it is not any more. @returns what ends that. */
  watch(onChange: () => void): () => void;
};

const longestAnswer = 1_000;
const mostItems = 5;

/** Of what a wallet answers with, texts and lists of texts: all that is asked for here. */
function readAnswer(answer: unknown): string | readonly string[] | null {
  if (Array.isArray(answer)) return answer.slice(0, mostItems).map(String);
  return typeof answer === 'string' && answer.length <= longestAnswer ? answer : null;
}

/** @param ask the wallet's own function, which may throw, and return what is no promise. */
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
