/** Where an accepted row stands among those of its principal; the time as the database writes it, with all of its digits. */
export type RowPosition = { readonly createdAt: string; readonly id: string };

/** What one claim has looked at of one principal. */
export type LookedAt = RowPosition & {
  readonly principal: string;
  /** Whether there may be rows after the last one that was looked at. */
  readonly isCut: boolean;
  /** Whether the principal got all that it can get of one claim. */
  readonly isServed: boolean;
};

/** Whose turn it is to have transactions signed, in one process and for one chain: a preference, which nothing relies on. */
export type ClaimTurns = {
  /** The principal after which the next claim begins. */
  last(): string;
  /** The principals whose first rows were all held up, and the rows after which the next claim looks instead; none for each second claim. */
  positions(): { principal: string; position: RowPosition }[];
  note(looked: readonly LookedAt[]): void;
};

/** More principals with so many rows that cannot move are forgotten: looking begins anew with their oldest rows. */
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
