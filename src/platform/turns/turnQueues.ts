/** One queue for each owner, which are served by turns; of one owner one item is under way at a time. */
export type TurnQueues<Item> = {
  add(owner: string, item: Item): void;
  /** The next item of the next owner who has none under way; undefined where there is none. */
  take(): Item | undefined;
  /** What was taken of an owner has ended. */
  end(owner: string): void;
  /** Takes an item away that still waits. */
  remove(owner: string, item: Item): void;
  /** How many items of an owner wait. */
  count(owner: string): number;
  /** Empties all queues, and returns what waited. */
  clear(): Item[];
};

export function createTurnQueues<Item>(): TurnQueues<Item> {
  /** In the order of turns: whoever is served goes to the end. */
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
