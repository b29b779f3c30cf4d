import { faultPath } from '../../platform/errors/faultPath.ts';
import type { Issue } from '../../protocol/errors.ts';

type Node = { value: object; key: string | number; parent: Node | undefined; depth: number };

/** More would add nothing, and a hostile body could have a hundred thousand. */
const maxIssues = 20;

/**
 * Finds content that no part of a request may have: text or names with NUL, which the database does not
 * store, or with half a surrogate pair, which has no UTF-8 form; and values nested deeper than `maxNesting`.
 * Works without recursion, so that no nesting can exhaust the stack.
 */
export function listUnfit(root: unknown, maxNesting: number): Issue[] {
  const issues: Issue[] = [];
  if (typeof root !== 'object' || root === null) return issues;
  const open: Node[] = [{ value: root, key: '', parent: undefined, depth: 1 }];
  for (let node = open.pop(); node !== undefined && issues.length < maxIssues; node = open.pop()) {
    if (node.depth > maxNesting) {
      issues.push({ path: topOf(node), message: 'is nested too deeply' });
      continue;
    }
    for (const [key, value] of membersOf(node.value)) {
      if (issues.length >= maxIssues) break;
      if (typeof key === 'string' && isUnfit(key))
        issues.push({ path: pathOf(node), message: `has a member whose name ${unfitness}` });
      if (typeof value === 'string' && isUnfit(value))
        issues.push({ path: pathOf({ value: node, key, parent: node, depth: 0 }), message: unfitness });
      if (typeof value === 'object' && value !== null)
        open.push({ value, key, parent: node, depth: node.depth + 1 });
    }
  }
  return issues;
}

/** The members to check: numbers and the like are fine under any valid name. */
function* membersOf(value: object): Generator<[string | number, unknown]> {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++)
      if (typeof value[at] === 'string' || typeof value[at] === 'object') yield [at, value[at]];
  } else yield* Object.entries(value);
}

const unfitness = 'contains a NUL character or an unpaired surrogate';

/** Whether a text contains characters that can be neither stored nor sent on. */
export function isUnfit(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

function pathOf(node: Node): string {
  const keys: (string | number)[] = [];
  for (let at: Node | undefined = node; at?.parent; at = at.parent) keys.unshift(at.key);
  return faultPath(keys);
}

/** The top-level member around a deep node: its whole path would be as long as it is deep. */
function topOf(node: Node): string {
  let at = node;
  while (at.parent?.parent) at = at.parent;
  return faultPath([at.key]);
}
