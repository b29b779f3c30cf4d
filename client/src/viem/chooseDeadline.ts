import { PermitRefusedError } from './checkTypedData.ts';

/** The longest validity of a permit whose deadline the service chooses: a day. */
const longestSeconds = 86_400;

/**
 * The deadline to sign, in Unix seconds: the caller's, or else the service's.
 *
 * @throws PermitRefusedError `deadline_too_far` if the service's is more than a day ahead, by this machine's
 * clock.
 */
export function chooseDeadline(own: number | undefined, offered: number): bigint {
  if (own === undefined && isTooFar(offered))
    throw new PermitRefusedError({
      reason: 'deadline_too_far',
      message: 'The deadline is over a day ahead.',
    });
  return BigInt(own ?? offered);
}

/** Whether a permit would be valid for more than a day. */
export function isTooFar(deadline: number): boolean {
  return deadline - longestSeconds > Date.now() / 1_000;
}
