/**
 * The position of an accepted row among its principal's rows; the time is the database's text with all
 * digits.
 */
export type RowPosition = { readonly createdAt: string; readonly id: string };

/** The part of one principal's rows that a claim has read. */
export type LookedAt = RowPosition & {
  readonly principal: string;
  /** Whether there may be rows after the last one read. */
  readonly isCut: boolean;
  /** Whether the principal got its full share of one claim. */
  readonly isServed: boolean;
};

/**
 * Whose turn it is to have transactions signed, in one process and for one chain. It is only a preference;
 * nothing relies on it.
 */
export type ClaimTurns = {
  /** The principal after which the next claim begins. */
  last(): string;
  /**
   * Principals whose first rows were all blocked, with the row after which the next claim continues; empty
   * for every second claim.
   */
  positions(): { principal: string; position: RowPosition }[];
  note(looked: readonly LookedAt[]): void;
};

/** If more principals have blocked rows, they are forgotten: reading starts again with their oldest rows. */
const mostPositions = 1_000;

export function createClaimTurns(): ClaimTurns {
  const positions = new Map<string, RowPosition>();
  let last = '';
  let isDeep = false;
  return {
    last: () => last,
    positions: () => (isDeep ? [...positions].map(([principal, position]) => ({ principal, position })) : []),
    note(looked) {
      for (const { principal, isCut, isServed, createdAt, id } of looked) {
        last = principal;
        if (!isCut) positions.delete(principal);
        else if (!isServed && (isDeep || !positions.has(principal)))
          positions.set(principal, { createdAt, id });
      }
      if (positions.size > mostPositions) positions.clear();
      isDeep = !isDeep;
    },
  };
}
