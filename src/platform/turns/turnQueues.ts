/**
 * One queue per owner, served in turns over groups of owners, and within a group over its owners; one item of each
 * group is under way at a time.
 */
export type TurnQueues<Item> = {
  add(owner: string, item: Item): void;
  /**
   * The next item of the next group that has none under way and whose next item is of this kind; undefined if there
   * is none. However many owners wait, this takes the same time.
   */
  take(kind?: string): Item | undefined;
  /** The owner's item has ended. */
  end(owner: string): void;
  remove(owner: string, item: Item): void;
  count(owner: string): number;
  /** Empties all queues, and returns the waiting items. */
  clear(): Item[];
};

/** Exists while it has waiting items, or one under way. */
type Group<Item> = {
  readonly name: string;
  /** In the order of turns: a served owner goes to the end. */
  readonly queues: Map<string, Item[]>;
  isUnderWay: boolean;
  /** The kind of the item that may begin next; undefined if none may. */
  readyAs: string | undefined;
};

const anyKind = 'any';

/**
 * @param options.groupOf the same for all items of an owner; by default, each owner is a group.
 * @param options.kindOf by default, all items are of one kind.
 */
export function createTurnQueues<Item>({
  groupOf = (_, owner) => owner,
  kindOf = () => anyKind,
}: {
  groupOf?: (item: Item, owner: string) => string;
  kindOf?: (item: Item) => string;
} = {}): TurnQueues<Item> {
  const groups = new Map<string, Group<Item>>();
  /** By owner, as long as the owner has a waiting item or one under way. */
  const groupsOfOwners = new Map<string, Group<Item>>();
  const ownersUnderWay = new Set<string>();
  /** The groups whose next item may begin, by its kind, in the order of turns. */
  const ready = new Map<string, Set<Group<Item>>>();

  /** Call this after each change of a group. It keeps its place among the ready ones while its kind is the same. */
  const settle = (group: Group<Item>) => {
    const next = group.isUnderWay ? undefined : group.queues.entries().next().value?.[1][0];
    const kind = next === undefined ? undefined : kindOf(next);
    if (kind !== group.readyAs) {
      if (group.readyAs !== undefined) ready.get(group.readyAs)?.delete(group);
      if (kind !== undefined) ready.set(kind, (ready.get(kind) ?? new Set()).add(group));
      group.readyAs = kind;
    }
    if (group.isUnderWay || group.queues.size > 0) groups.set(group.name, group);
    else groups.delete(group.name);
  };
  const forget = (owner: string) => {
    if (!ownersUnderWay.has(owner) && !groupsOfOwners.get(owner)?.queues.has(owner))
      groupsOfOwners.delete(owner);
  };

  return {
    add(owner, item) {
      const name = groupOf(item, owner);
      const group = groups.get(name) ?? {
        ...{ name, queues: new Map<string, Item[]>() },
        ...{ isUnderWay: false, readyAs: undefined },
      };
      groupsOfOwners.set(owner, group);
      const items = group.queues.get(owner);
      if (items) items.push(item);
      else group.queues.set(owner, [item]);
      settle(group);
    },
    take(kind = anyKind) {
      const group = ready.get(kind)?.values().next().value;
      const [owner, items] = group?.queues.entries().next().value ?? [];
      if (!group || owner === undefined) return undefined;
      const item = items?.shift();
      group.queues.delete(owner);
      if (items && items.length > 0) group.queues.set(owner, items);
      group.isUnderWay = true;
      ownersUnderWay.add(owner);
      settle(group);
      return item;
    },
    end(owner) {
      const group = groupsOfOwners.get(owner);
      if (!group || !ownersUnderWay.delete(owner)) return;
      group.isUnderWay = false;
      settle(group);
      forget(owner);
    },
    remove(owner, item) {
      const group = groupsOfOwners.get(owner);
      const items = group?.queues.get(owner);
      const at = items?.indexOf(item) ?? -1;
      if (!group || !items || at < 0) return;
      items.splice(at, 1);
      if (items.length === 0) group.queues.delete(owner);
      settle(group);
      forget(owner);
    },
    count: (owner) => groupsOfOwners.get(owner)?.queues.get(owner)?.length ?? 0,
    clear() {
      const waiting = [...groups.values()].flatMap(({ queues }) => [...queues.values()].flat());
      for (const group of [...groups.values()]) {
        const owners = [...group.queues.keys()];
        group.queues.clear();
        settle(group);
        owners.forEach(forget);
      }
      return waiting;
    },
  };
}
