/** JSON of an object, with members added whose values are JSON already: such text goes out character by character. */
export function spliceJson(
  object: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string>>,
): string {
  const written = JSON.stringify(object).slice(1, -1);
  const added = Object.entries(texts).map(([name, text]) => `"${name}":${text}`);
  return `{${[written, ...added].filter((part) => part !== '').join(',')}}`;
}
