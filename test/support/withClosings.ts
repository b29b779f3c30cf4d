export type OnClose = (close: () => Promise<unknown>) => void;

/** Runs `work`, and then closes whatever that has named to be closed, the last first, also where it failed. */
export async function withClosings<Result>(work: (onClose: OnClose) => Promise<Result>): Promise<Result> {
  const closings: (() => Promise<unknown>)[] = [];
  try {
    return await work((close) => closings.push(close));
  } finally {
    for (const close of closings.reverse()) await close();
  }
}
