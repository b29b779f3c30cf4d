/** How much more one transaction may store for each principal today. */
export type DailyAllowance = {
  /** Returns those of one principal's items that may be stored, in their order. */
  take<Item extends { readonly principalId: string }>(items: readonly Item[]): Promise<Item[]>;
};

/** @param readLeft what is left of a principal's quota; it is asked once for each principal. */
export function createDailyAllowance(readLeft: (principalId: string) => Promise<number>): DailyAllowance {
  const left = new Map<string, number>();
  return {
    async take(items) {
      const [first] = items;
      if (!first) return [];
      const { principalId } = first;
      const room = left.get(principalId) ?? Math.max(0, await readLeft(principalId));
      const taken = items.slice(0, room);
      left.set(principalId, room - taken.length);
      return taken;
    },
  };
}
