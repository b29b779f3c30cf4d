/** The flaws found by a run, by kind; empty lists if everything is right. */
export type Flaws = Readonly<Record<string, readonly string[]>>;

const shown = 10;

export function isFlawless(flaws: Flaws): boolean {
  return Object.values(flaws).every((found) => found.length === 0);
}

/** The number of flaws of each kind, and the first of each, as lines for a terminal. */
export function describeFlaws(flaws: Flaws): string {
  const kinds = Object.entries(flaws);
  const lines = [kinds.map(([kind, found]) => `${found.length} ${kind}`).join(', ')];
  for (const [kind, found] of kinds) {
    for (const flaw of found.slice(0, shown)) lines.push(`  ${kind}: ${flaw}`);
    if (found.length > shown) lines.push(`  ${kind}: and ${found.length - shown} more`);
  }
  return lines.join('\n');
}
