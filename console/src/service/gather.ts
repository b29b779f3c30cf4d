type Gathering<Item> = {
  readonly restMs: number;
  /** Takes all items since the last turn. The next turn begins after it and a rest. Must not throw. */
  readonly handOver: (items: readonly Item[]) => void | Promise<void>;
};

export type Gatherer<Item> = {
  readonly add: (item: Item) => void;
  /** Hands nothing over any more. */
  readonly stop: () => void;
};

/** Hands items over in groups: the first item at once, items that come during a turn or its rest afterwards. */
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
