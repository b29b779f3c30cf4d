/** Deals things in random order, each once before any repeats; undefined if there are none. */
export function createDealer<Thing>(random: () => number, things: readonly Thing[]): () => Thing | undefined {
  let left: Thing[] = [];
  return () => {
    if (left.length === 0) left = [...things];
    const [dealt] = left.splice(Math.floor(random() * left.length), 1);
    return dealt;
  };
}
