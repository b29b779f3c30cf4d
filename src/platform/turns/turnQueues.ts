/** One queue per owner, served in turns; one item of each owner, or of each group of owners, is under way at a time. */
export type TurnQueues<Item> = {
  add(owner: string, item: Item): void;
  /**
   * The next item of the next owner whose group has none under way; undefined if there is none.
   *
   * @param mayBegin whether an item may begin now; by default, each may. Its owner's other items wait for it.
   */
  take(mayBegin?: (item: Item) => boolean): Item | undefined;
  /** The owner's item has ended. */
  end(owner: string): void;
  remove(owner: string, item: Item): void;
  count(owner: string): number;
  /** Empties all queues, and returns the waiting items. */
  clear(): Item[];
};

/** @param groupOf the same for all items of an owner; by default, each owner is a group. */
export function createTurnQueues<Item>(
  groupOf: (item: Item, owner: string) => string = (_, owner) => owner,
): TurnQueues<Item> {
  /** In the order of turns: a served owner goes to the end. */
  const queues = new Map<string, Item[]>();
  /** The group under way, by owner. */
  const underWay = new Map<string, string>();
  const store = (owner: string, items: Item[]) => {
    if (items.length > 0) queues.set(owner, items);
    else queues.delete(owner);
  };

  return {
    add: (owner, item) => store(owner, [...(queues.get(owner) ?? []), item]),
    take(mayBegin = () => true) {
      for (const [owner, [item, ...rest]] of queues) {
        if (item === undefined) continue;
        const group = groupOf(item, owner);
        if ([...underWay.values()].includes(group) || !mayBegin(item)) continue;
        queues.delete(owner);
        store(owner, rest);
        underWay.set(owner, group);
        return item;
      }
      return undefined;
    },
    end: (owner) => void underWay.delete(owner),
    remove: (owner, item) =>
      store(
        owner,
        (queues.get(owner) ?? []).filter((other) => other !== item),
      ),
    count: (owner) => queues.get(owner)?.length ?? 0,
    clear() {
      const waiting = [...queues.values()].flat();
      queues.clear();
      return waiting;
    },
  };
}
