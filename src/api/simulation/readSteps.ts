import { malformed } from '../../platform/errors/serviceError.ts';
import type { SimulatedStep } from './simulateStep.ts';

type AskedStep = Omit<SimulatedStep, 'atMs'> & { readonly at?: string | undefined };

/**
 * A request's steps, with their times in milliseconds.
 *
 * @throws MalformedError for a step that is before an earlier one.
 */
export function readSteps(steps: readonly AskedStep[]): SimulatedStep[] {
  let latest = Number.NEGATIVE_INFINITY;
  return steps.map(({ at, ...step }, index) => {
    if (at === undefined) return step;
    const atMs = Date.parse(at);
    if (atMs < latest)
      throw malformed('body', [{ path: `steps.${index}.at`, message: 'is earlier than the previous step' }]);
    latest = atMs;
    return { ...step, atMs };
  });
}

/** The start of a simulation: the time of its first timed step if that is in the past, otherwise now. */
export function readStart(steps: readonly SimulatedStep[]): number {
  const first = steps.find(({ atMs }) => atMs !== undefined)?.atMs;
  return Math.min(first ?? Number.POSITIVE_INFINITY, Date.now());
}
