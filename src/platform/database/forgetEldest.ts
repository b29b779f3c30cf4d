/** Takes what was put into a map first out of it. */
export function forgetEldest<Key>(map: Map<Key, unknown>): Key | undefined {
  for (const eldest of map.keys()) {
    map.delete(eldest);
    return eldest;
  }
  return undefined;
}
