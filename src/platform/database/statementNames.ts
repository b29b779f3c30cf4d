/** Statements are put together of parts that callers choose; the rarer combinations are not worth a place on the server. */
const maxStatements = 200;

/** Gives each statement a name to be prepared under, always the same; none to those that come when there are too many others. */
export function createStatementNames(prefix: string): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxStatements) return known;
    const name = `${prefix}_${names.size}`;
    names.set(text, name);
    return name;
  };
}
