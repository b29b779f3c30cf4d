import type { AgreementState } from '../../../client/src/types.ts';
import { queries } from '../service/queries.ts';
import type { AgreementSource } from './source.ts';

/** What an input meets, on which its effect depends. */
export type Basis = Pick<AgreementState, 'state' | 'blockNumber'> & {
  /** The ids of inputs that are not mined yet, and come before it. */
  readonly open: readonly string[];
};

/** Something else than the reviewed input would be sent: the agreement has changed since. */
export class OutdatedReviewError extends Error {
  override readonly name = 'OutdatedReviewError';

  constructor() {
    super('The agreement has changed since the review.');
  }
}

/** The cause says why it is not known whether the agreement has changed. */
export class UncheckedReviewError extends Error {
  override readonly name = 'UncheckedReviewError';

  constructor(cause: unknown) {
    super('It is not known whether the agreement has changed since the review.', { cause });
  }
}

/** Reads it anew, and refreshes the page's own copy of the state. */
export async function readBasis(source: AgreementSource, signal?: AbortSignal): Promise<Basis> {
  // In this order an input that is mined in between is among the open ones, or has moved the state.
  const { data } = await source.listInputs(undefined, signal);
  const current = await source.getState(signal);
  // An earlier question must not replace it by an older answer.
  await queries.cancelQueries({ queryKey: [...source.key, 'state'] });
  queries.setQueryData([...source.key, 'state'], current);
  const { state, blockNumber } = current;
  return { state, blockNumber, open: data.filter(({ status }) => status === 'PENDING').map(({ id }) => id) };
}

/**
 * @throws OutdatedReviewError if the agreement has changed since.
 * @throws UncheckedReviewError without an answer.
 */
export async function requireBasis(source: AgreementSource, reviewed: Basis): Promise<void> {
  const basis = await readBasis(source).catch((cause: unknown) => {
    throw new UncheckedReviewError(cause);
  });
  if (hasMoved(reviewed, basis) || String(basis.open) !== String(reviewed.open))
    throw new OutdatedReviewError();
}

/** Whether an input was mined since, also if it has left the state as it was. */
export function hasMoved(
  reviewed: Pick<Basis, 'state' | 'blockNumber'>,
  current: Pick<Basis, 'state' | 'blockNumber'>,
): boolean {
  return current.state !== reviewed.state || current.blockNumber !== reviewed.blockNumber;
}
