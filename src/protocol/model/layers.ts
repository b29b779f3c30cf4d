/** The most entries of a layer, so that look-ups and changes stay cheap. */
const layerSize = 32;

/**
 * An immutable map. `with` returns a new map that shares unchanged parts: a change copies a small layer, and
 * the whole map only when that layer is full.
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

  /** This map with the given entries replacing those of the same keys; this map itself if none are given. */
  with(entries: Iterable<readonly [Key, Value]>): Layers<Key, Value> {
    const given = [...entries];
    if (given.length === 0) return this;
    const top = new Map([...this.#top, ...given]);
    return top.size > layerSize ? new Layers(new Map([...this.#base, ...top])) : new Layers(this.#base, top);
  }
}
