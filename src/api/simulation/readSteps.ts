import { MalformedError } from '../../platform/errors/serviceError.ts';
import type { SimulatedStep } from './simulateStep.ts';

type AskedStep = Omit<SimulatedStep, 'atMs'> & { readonly at?: string | undefined };

/**
 * Steps as a request has them, with their times in milliseconds.
 *
 * @throws MalformedError for a step that is before an earlier one.
 */
export function readSteps(steps: readonly AskedStep[]): SimulatedStep[] {
  let latest = Number.NEGATIVE_INFINITY;
  return steps.map(({ at, ...step }, index) => {
    if (at === undefined) return step;
    const atMs = Date.parse(at);
    if (atMs < latest) {
      const issues = [{ path: `steps.${index}.at`, message: 'is before the step before it' }];
      throw new MalformedError('The body is not as expected.', { issues });
    }
    latest = atMs;
    return { ...step, atMs };
  });
}

/** When a simulation begins: with its first step that has a time, if that lies behind, else now. */
export function readStart(steps: readonly SimulatedStep[]): number {
  const first = steps.find(({ atMs }) => atMs !== undefined)?.atMs;
  return Math.min(first ?? Number.POSITIVE_INFINITY, Date.now());
}
