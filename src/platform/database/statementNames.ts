import { createHash } from 'node:crypto';

/** Statements consist of parts that callers choose; rare combinations are not worth a place on the server. */
const maxStatements = 200;
/** A name of PostgreSQL has 63 bytes at most. */
const nameLength = 22;

/**
 * Gives each statement a fixed name for preparing it, or none if there are too many others. The name comes from the text
 * alone: a pooler that shares sessions may have another process prepare its statements where this one runs its own. Then
 * the database knows the name or does not, but never runs another statement under it.
 */
export function createStatementNames(prefix: string): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxStatements) return known;
    const digest = createHash('sha256').update(text).digest('base64url');
    const name = `${prefix}_${digest.slice(0, nameLength)}`;
    names.set(text, name);
    return name;
  };
}
