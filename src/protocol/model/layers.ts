/** Entries that one layer holds at most, so that neither a look-up nor a change walks or copies much. */
const layerSize = 32;

/**
 * A map that never changes. `with` gives another map that shares what both have in common: a change copies a small layer, and
 * the whole only when that layer is full.
 */
export class Layers<Key, Value> {
  readonly #base: ReadonlyMap<Key, Value>;
  readonly #top: ReadonlyMap<Key, Value>;

  constructor(base: ReadonlyMap<Key, Value> = new Map(), top: ReadonlyMap<Key, Value> = new Map()) {
    this.#base = base;
    this.#top = top;
  }

  get(key: Key): Value | undefined {
    return this.#top.get(key) ?? this.#base.get(key);
  }

  /** All entries, each key once. */
  entries(): Map<Key, Value> {
    return new Map([...this.#base, ...this.#top]);
  }

  /** This map with the given entries in place of its own of the same keys; itself where there are none. */
  with(entries: Iterable<readonly [Key, Value]>): Layers<Key, Value> {
    const top = new Map(this.#top);
    for (const [key, value] of entries) top.set(key, value);
    if (top.size > layerSize) return new Layers(new Map([...this.#base, ...top]));
    return top.size === 0 ? this : new Layers(this.#base, top);
  }
}
