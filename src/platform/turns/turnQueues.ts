/** One queue per owner, served in turns; one item of each owner is under way at a time. */
export type TurnQueues<Item> = {
  add(owner: string, item: Item): void;
  /** The next item of the next owner without one under way; undefined if there is none. */
  take(): Item | undefined;
  /** The owner's item has ended. */
  end(owner: string): void;
  /** Removes a waiting item. */
  remove(owner: string, item: Item): void;
  /** Number of the owner's waiting items. */
  count(owner: string): number;
  /** Empties all queues, and returns the waiting items. */
  clear(): Item[];
};

export function createTurnQueues<Item>(): TurnQueues<Item> {
  /** In the order of turns: a served owner goes to the end. */
  const queues = new Map<string, Item[]>();
  const underWay = new Set<string>();
  const store = (owner: string, items: Item[]) => {
    if (items.length > 0) queues.set(owner, items);
    else queues.delete(owner);
  };

  return {
    add: (owner, item) => store(owner, [...(queues.get(owner) ?? []), item]),
    take() {
      for (const [owner, [item, ...rest]] of queues) {
        if (item === undefined || underWay.has(owner)) continue;
        queues.delete(owner);
        store(owner, rest);
        underWay.add(owner);
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
