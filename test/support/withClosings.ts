export type OnClose = (close: () => Promise<unknown>) => void;

/** Runs `work`, and then closes everything registered, the last first, even after a failure. */
export async function withClosings<Result>(work: (onClose: OnClose) => Promise<Result>): Promise<Result> {
  const closings: (() => Promise<unknown>)[] = [];
  try {
    return await work((close) => closings.push(close));
  } finally {
    for (const close of closings.reverse()) await close();
  }
}
