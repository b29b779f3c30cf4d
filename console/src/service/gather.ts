type Gathering<Item> = {
  readonly restMs: number;
  /** Gets all that came since the last time. The next turn begins once it is done and has rested. Must not throw. */
  readonly handOver: (items: readonly Item[]) => void | Promise<void>;
};

export type Gatherer<Item> = {
  readonly add: (item: Item) => void;
  /** Nothing is handed over from now on. */
  readonly stop: () => void;
};

/** Hands items over together: the first at once, those that come during a turn or its rest after it. */
export function gather<Item>({ restMs, handOver }: Gathering<Item>): Gatherer<Item> {
  let waiting: Item[] = [];
  let isBusy = false;
  let hasStopped = false;
  const work = async () => {
    isBusy = true;
    while (waiting.length > 0 && !hasStopped) {
      const items = waiting;
      waiting = [];
      await handOver(items);
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
    isBusy = false;
  };
  return {
    add(item) {
      waiting.push(item);
      if (!isBusy && !hasStopped) void work();
    },
    stop() {
      hasStopped = true;
      waiting = [];
    },
  };
}
