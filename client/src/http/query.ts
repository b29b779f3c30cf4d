type Scalar = string | number | boolean | Date;

/** Query parameters; members of an object become `name[key]`, and undefined ones are left out. */
export type Query = {
  readonly [name: string]: Scalar | { readonly [key: string]: Scalar | undefined } | undefined;
};

/** The query for a URL, with its question mark; empty without parameters. */
export function writeQuery(query: Query): string {
  const search = new URLSearchParams();
  const add = (name: string, value: Scalar | undefined) => {
    if (value !== undefined) search.set(name, value instanceof Date ? value.toISOString() : String(value));
  };
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== 'object' || value instanceof Date) add(name, value);
    else for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner);
  }
  // Older browsers have no `size`.
  const text = String(search);
  return text && `?${text}`;
}

/** A path with its names in braces replaced; each value becomes one segment, whatever it contains. */
export function writePath(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`${name} must be a non-empty text.`);
    return encodeURIComponent(value);
  });
}
