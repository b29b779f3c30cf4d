import type { Context } from './context.ts';

/** Most chains take a transaction within this time. */
const quietMs = 5_000;

/** Waits for a transaction. After a while it tells the user that only the wait can be stopped. */
export async function sayWaiting<Result>(
  { terminal, asJson }: Pick<Context, 'terminal' | 'asJson'>,
  work: Promise<Result>,
): Promise<Result> {
  const timer = setTimeout(() => {
    if (!asJson())
      terminal.printError(
        'waiting for the chain; Ctrl-C ends only the wait, and undoes nothing that was sent',
      );
  }, quietMs);
  return work.finally(() => clearTimeout(timer));
}
