/**
 * Stands in for Drizzle's module `entity`, with the same exports: what it says is the same, sooner. Drizzle asks `is` some fifteen
 * times of each parameter of each statement, and goes up the whole chain of classes each time.
 */
export const entityKind = Symbol.for('drizzle:entityKind');
export const hasOwnEntityKind = Symbol.for('drizzle:hasOwnEntityKind');

/** A class of Drizzle, which carries the name of its kind. */
export type EntityClass = (abstract new (...args: never[]) => unknown) & { readonly [entityKind]: string };

/** What was found for a class and a prototype: neither changes once it is there. */
const known = new WeakMap<object, Map<EntityClass, boolean>>();
const kindsOfNothing: ReadonlyMap<EntityClass, boolean> = new Map();
/** It is asked of the same value many times in a row. */
let lastPrototype: object | null = null;
let lastFound: ReadonlyMap<EntityClass, boolean> = kindsOfNothing;

/** Whether the value is of the kind of a class or of one that extends it. Throws for a class that has no kind. */
export function is(value: unknown, type: EntityClass): boolean {
  if (!value || typeof value !== 'object') return false;
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null) return false;
  if (prototype !== lastPrototype) {
    lastFound = known.get(prototype) ?? kindsOfNothing;
    lastPrototype = prototype;
  }
  return lastFound.get(type) ?? find(value, prototype, type);
}

function find(value: object, prototype: object, type: EntityClass): boolean {
  const found = value instanceof type || isOfKind(prototype.constructor, type);
  const all = known.get(prototype) ?? new Map<EntityClass, boolean>();
  known.set(prototype, all.set(type, found));
  lastPrototype = null;
  return found;
}

/** By the name of the kind, so that classes of two copies of Drizzle know each other. */
function isOfKind(start: unknown, type: EntityClass): boolean {
  if (!Object.hasOwn(type, entityKind))
    throw new Error(`the class ${type.name || '<unknown>'} is none of Drizzle's: it has no kind`);
  const kind = type[entityKind];
  for (let each = start; each; each = Object.getPrototypeOf(each))
    if (Reflect.get(each, entityKind) === kind) return true;
  return false;
}
