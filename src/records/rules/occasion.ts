/**
 * What tells the firings of one rule for one recipient apart, made of facts of the chain alone: so that no restart, rebuilt index
 * or restored database gives one cause two names.
 */

/** A transition; by its identity, which no reorganisation changes. */
export function occasionOfTransition(identity: string): string {
  return JSON.stringify(['transition', identity]);
}

/** A stay in a state, by the transition that entered it: for rules that fire once. */
export function occasionOfStay(stay: string): string {
  return JSON.stringify(['stay', stay]);
}

/** One interval, counted from 0, of a part of a stay: for rules that fire again. */
export function occasionOfInterval(span: string, number: number): string {
  return JSON.stringify(['interval', span, number]);
}
