/** Statements consist of parts that callers choose; rare combinations are not worth a place on the server. */
const maxStatements = 200;

/** Gives each statement a fixed name for preparing it, or none if there are too many others. */
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
