/**
 * Orders items so that each owner's first item comes before anybody's second, and so on; each owner's items
 * keep their order.
 */
export function byTurns<Item>(items: readonly Item[], ownerOf: (item: Item) => string): Item[] {
  const queues = [...Map.groupBy(items, ownerOf).values()];
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, round) =>
    queues.flatMap((queue) => queue.slice(round, round + 1)),
  ).flat();
}
