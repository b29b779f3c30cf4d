/**
 * Distinguishes the firings of one rule for one recipient. Derived from on-chain data only, so that a
 * restart, a rebuilt index or a restored database never gives one cause two names.
 */

/** A transition, by its identity, which no reorg changes. */
export function occasionOfTransition(identity: string): string {
  return JSON.stringify(['transition', identity]);
}

/** A stay in a state, by the transition that entered it; for rules that fire once. */
export function occasionOfStay(stay: string): string {
  return JSON.stringify(['stay', stay]);
}

/** One interval of a part of a stay, counted from 0; for rules that fire repeatedly. */
export function occasionOfInterval(span: string, number: number): string {
  return JSON.stringify(['interval', span, number]);
}
