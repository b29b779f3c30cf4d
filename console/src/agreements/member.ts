type JsonObject = { readonly [name: string]: unknown };

/** A member of a possible object; undefined if it is not there. */
export function member(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
