/** Removes the oldest entry of a map. */
export function forgetEldest<Key>(map: Map<Key, unknown>): Key | undefined {
  for (const eldest of map.keys()) {
    map.delete(eldest);
    return eldest;
  }
  return undefined;
}
