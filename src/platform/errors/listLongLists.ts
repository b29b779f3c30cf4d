import type { Issue } from '../../protocol/errors.ts';
import { faultPath } from './faultPath.ts';

type Place = { readonly path: string; readonly value: unknown };

/**
 * The lists within a value that have too many items to check each: a shape would report a fault for every
 * item. Does not look into those lists.
 */
export function listLongLists({ path, value }: Place, limit: number): Issue[] {
  const issues: Issue[] = [];
  const open: Place[] = [{ path, value }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value: found } = place;
    if (typeof found !== 'object' || found === null) continue;
    if (Array.isArray(found) && found.length > limit) {
      issues.push({ path: place.path, message: `must have no more than ${limit} items` });
      continue;
    }
    for (const [key, member] of Object.entries(found)) {
      if (typeof member === 'object' && member !== null)
        open.push({ path: faultPath(place.path === '' ? [key] : [place.path, key]), value: member });
    }
  }
  return issues;
}
