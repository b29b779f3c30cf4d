import { pick } from '../../support/random.ts';
import { pickHostile } from './hostile.ts';

type Spot = { readonly holder: Record<string, unknown> | unknown[]; readonly key: string | number };

/** A copy of a value in which a few parts are missing, replaced, or joined by unexpected ones. */
export function mutate(value: unknown, random: () => number): unknown {
  const copy: unknown = structuredClone(value);
  const spots = listSpots(copy);
  if (spots.length === 0) return pickHostile(random);
  for (let count = pick(random, [1, 1, 1, 2, 5]); count > 0; count--) {
    const { holder, key } = pick(random, spots);
    const act = random();
    if (act < 0.6) put(holder, key, pickHostile(random));
    else if (act < 0.8) put(holder, key, undefined);
    else if (Array.isArray(holder)) holder.push(structuredClone(holder.at(-1)));
    else
      put(
        holder,
        pick(random, ['extra', '__proto__', 'constructor', 'a\0b', '\ud800', '']),
        pickHostile(random),
      );
  }
  return copy;
}

function put(holder: Spot['holder'], key: string | number, value: unknown): void {
  // Makes it an own member, whatever its name is.
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function listSpots(root: unknown): Spot[] {
  const spots: Spot[] = [];
  const open = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (const [key, inner] of value.entries()) {
        spots.push({ holder: value, key });
        open.push(inner);
      }
    } else if (isRecord(value)) {
      for (const [key, inner] of Object.entries(value)) {
        spots.push({ holder: value, key });
        open.push(inner);
      }
    }
  }
  return spots;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
