import { faultPath } from '../../platform/errors/faultPath.ts';
import type { Issue } from '../../protocol/errors.ts';
import { listIssues, maxIssues } from '../../protocol/issueList.ts';

type Node = { value: object; key: string | number; parent: Node | undefined; depth: number };

/**
 * The first hundred faults of content that no part of a request may have: text or names with NUL, which the
 * database does not store, or with half a surrogate pair, which has no UTF-8 form; and values nested deeper than
 * `maxNesting`. Works without recursion, so that no nesting can exhaust the stack.
 */
export function listUnfit(root: unknown, maxNesting: number): readonly Issue[] {
  const issues: Issue[] = [];
  for (const issue of findUnfit(root, maxNesting)) {
    issues.push(issue);
    // Bounded before equal ones are left out: long paths are cut and then equal, and each of them takes time to write.
    if (issues.length > maxIssues) break;
  }
  return listIssues(issues);
}

function* findUnfit(root: unknown, maxNesting: number): Generator<Issue> {
  if (typeof root !== 'object' || root === null) return;
  const tooDeep = new Set<Node>();
  const open: Node[] = [{ value: root, key: '', parent: undefined, depth: 1 }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.depth > maxNesting) {
      const top = topOf(node);
      if (!tooDeep.has(top)) yield { path: pathOf(top), message: 'is nested too deeply' };
      tooDeep.add(top);
      continue;
    }
    let isNamed = false;
    for (const [key, value] of membersOf(node.value)) {
      if (!isNamed && typeof key === 'string' && isUnfit(key)) {
        yield { path: pathOf(node), message: `has a member whose name ${unfitness}` };
        isNamed = true;
      }
      if (typeof value === 'string' && isUnfit(value))
        yield { path: pathOf({ value: node, key, parent: node, depth: 0 }), message: unfitness };
      if (typeof value === 'object' && value !== null)
        open.push({ value, key, parent: node, depth: node.depth + 1 });
    }
  }
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
function topOf(node: Node): Node {
  let at = node;
  while (at.parent?.parent) at = at.parent;
  return at;
}
