import type { TransitionTrigger } from './notificationTemplate.ts';

export type Mismatch = 'from_state_not_listed' | 'to_state_not_listed' | 'input_not_listed';
export type Transition = { readonly fromState: string; readonly toState: string; readonly inputId: string };

/**
 * Why a trigger does not match a transition; undefined if it does. Values of one list are alternatives; an
 * absent or empty list matches all.
 */
export function findMismatch(trigger: TransitionTrigger, transition: Transition): Mismatch | undefined {
  const { from = [], to = [], inputs = [] } = trigger;
  if (!allows(from, transition.fromState)) return 'from_state_not_listed';
  if (!allows(to, transition.toState)) return 'to_state_not_listed';
  if (!allows(inputs, transition.inputId)) return 'input_not_listed';
  return undefined;
}

function allows(list: readonly string[], value: string): boolean {
  return list.length === 0 || list.includes(value);
}
