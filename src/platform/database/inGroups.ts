import pg from 'pg';

type Asker<Item, Result> = {
  readonly item: Item;
  /** It was in a group that the database refused. */
  readonly isAlone: boolean;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/** More items would make a statement so long that the next caller would notice. */
const mostInGroup = 32;
/** While this many groups run, new items wait for the next group. */
const groupsAtOnce = 2;
/** A group that takes longer probably waits for a lock; later groups do not wait for it. */
const slowMs = 100;
/** Of one owner, the slow ones included: each holds one of the connections that all share. */
const mostOfOwner = 4;

type Queue<Item, Result> = {
  /** First those that run alone. */
  waiting: Asker<Item, Result>[];
  atWork: number;
  slow: number;
  isBegun: boolean;
};

/**
 * Runs items that arrive in one turn of the event loop, or while other groups run, as one group: one
 * statement, one round trip and one commit. If the database refuses a group, each of its items runs alone, in a group of
 * its own, so that none fails because of another.
 *
 * @param run a statement that does all or nothing; gives one result for each item, in their order.
 * @param ownerOf only items of one owner share a group, and only a few groups of an owner run at once. Needed if the cost
 * of items can differ much, or if they may wait for locks of their owner.
 */
export function inGroups<Item, Result>(
  run: (pool: pg.Pool, items: readonly Item[]) => Promise<readonly Result[]>,
  ownerOf?: (item: Item) => string,
): (pool: pg.Pool, item: Item) => Promise<Result> {
  const mostAtOnce = ownerOf ? mostOfOwner : Number.POSITIVE_INFINITY;
  const queuesOf = new WeakMap<pg.Pool, Map<string, Queue<Item, Result>>>();

  const answer = async (
    pool: pg.Pool,
    queue: Queue<Item, Result>,
    group: readonly Asker<Item, Result>[],
  ): Promise<void> => {
    try {
      const results = await run(
        pool,
        group.map(({ item }) => item),
      );
      for (const [at, asker] of group.entries()) {
        // A result may be undefined; only a missing result is a fault of `run`.
        if (at < results.length) asker.resolve(results[at] as Result);
        else asker.reject(new Error(`got ${results.length} results for ${group.length} items`));
      }
    } catch (error) {
      if (group.length > 1 && error instanceof pg.DatabaseError) {
        queue.waiting.unshift(...group.map((asker) => ({ ...asker, isAlone: true })));
        return;
      }
      for (const { reject } of group) reject(error);
    }
  };

  const begin = (pool: pg.Pool, owner: string): void => {
    const queue = queuesOf.get(pool)?.get(owner);
    if (!queue || queue.isBegun) return;
    const { waiting, atWork, slow } = queue;
    if (waiting.length === 0 && atWork + slow === 0) queuesOf.get(pool)?.delete(owner);
    if (waiting.length === 0 || atWork >= groupsAtOnce || atWork + slow >= mostAtOnce) return;
    queue.isBegun = true;
    setImmediate(() => {
      queue.isBegun = false;
      const group = queue.waiting.splice(0, queue.waiting[0]?.isAlone ? 1 : mostInGroup);
      let isSlow = false;
      queue.atWork++;
      const timer = setTimeout(() => {
        isSlow = true;
        queue.atWork--;
        queue.slow++;
        begin(pool, owner);
      }, slowMs);
      void answer(pool, queue, group).finally(() => {
        clearTimeout(timer);
        if (isSlow) queue.slow--;
        else queue.atWork--;
        begin(pool, owner);
      });
      begin(pool, owner);
    });
  };

  return async (pool, item) => {
    try {
      return await new Promise<Result>((resolve, reject) => {
        const owner = ownerOf?.(item) ?? '';
        const queues = queuesOf.get(pool) ?? new Map<string, Queue<Item, Result>>();
        queuesOf.set(pool, queues);
        const queue = queues.get(owner) ?? { waiting: [], atWork: 0, slow: 0, isBegun: false };
        queues.set(owner, queue);
        queue.waiting.push({ item, isAlone: false, resolve, reject });
        begin(pool, owner);
      });
    } catch (error) {
      // The group's stack does not contain the caller.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  };
}
