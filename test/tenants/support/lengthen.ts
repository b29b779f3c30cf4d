import { pick } from '../../support/random.ts';

type Holder = Record<string, unknown> | unknown[];
type Spot = { readonly holder: Holder; readonly key: string };

const texts = [
  'x',
  'é',
  '\u0001',
  '"',
  '\\',
  '💥',
  `\${variables.v0}`,
  '|a|\n',
  '[',
  '*_',
  '(a?)',
  '\\p{L}',
  '<b>',
  '0x',
  '1e9',
  ' ',
  '\n# ',
];
const values: readonly unknown[] = [
  0,
  -1,
  1e300,
  '',
  null,
  true,
  [],
  {},
  '0x',
  'string',
  'address',
  'uint256',
  { type: 'string' },
];
const mostMembers = 3_000;

/**
 * A copy of a value that may cost more: parts are repeated, lengthened, nested, replaced by parts of others,
 * or left out. Nothing becomes longer than about `most` characters.
 */
export function lengthen(
  value: unknown,
  { others, most, random }: { others: readonly unknown[]; most: number; random: () => number },
): unknown {
  const root: { body: unknown } = { body: structuredClone(value) };
  for (let count = pick(random, [1, 1, 2, 3, 5]); count > 0; count--) {
    const spot = pick(random, listSpots(root));
    pick(random, acts)(spot, { others, most, random });
  }
  return root.body;
}

/**
 * The approximate length of a value as JSON. It stops a little above `most`: a value with many repeated parts
 * could take for ever.
 */
export function measureText(value: unknown, most: number): number {
  const open: unknown[] = [value];
  let length = 0;
  while (open.length > 0 && length <= most) {
    const next = open.pop();
    length += 2;
    if (typeof next === 'string') length += next.length;
    else if (Array.isArray(next)) for (const item of next.slice(0, most)) open.push(item);
    else if (isRecord(next))
      for (const [key, member] of Object.entries(next)) {
        length += key.length;
        open.push(member);
      }
  }
  return length;
}

const shortMembers = 12;
const shortCharacters = 400;

/** A short copy of a value: small requests can be sent a hundred times as often. */
export function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, shortCharacters);
  if (Array.isArray(value)) return value.slice(0, shortMembers).map(shorten);
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value).slice(0, shortMembers)) write(copy, key, shorten(member));
  return copy;
}

const mostOfQuery = 4_000;

/** A path with parameters lengthened, repeated, exchanged or left out. */
export function lengthenQuery(path: string, random: () => number): string {
  const [place = '', query = ''] = path.split('?', 2);
  const pairs = query.split('&').slice(0, 20);
  for (let count = pick(random, [1, 1, 2, 3]); count > 0; count--) {
    const at = Math.floor(random() * pairs.length);
    const [name = '', value = ''] = pairs[at]?.split('=', 2) ?? [];
    const text = encodeURIComponent(pick(random, texts)).repeat(Math.floor(random() ** 3 * 300));
    const [, other = ''] = pick(random, pairs).split('=', 2);
    const changed = pick(random, [
      `${value}${text}`,
      text,
      other,
      `-${value}`,
      value.repeat(4),
      `${value}.${'1'.repeat(99)}`,
    ]);
    pairs[at] = `${name}=${changed}`;
    if (random() < 0.1) pairs.push(pairs[at]);
    if (random() < 0.1 && pairs.length > 1) pairs.splice(at, 1);
  }
  return `${place}?${pairs
    .join('&')
    .slice(0, mostOfQuery)
    .replace(/%[0-9A-F]?$/, '')}`;
}

type Means = { others: readonly unknown[]; most: number; random: () => number };
type Act = (spot: Spot, means: Means) => void;

const acts: readonly Act[] = [repeat, repeat, stretch, stretch, exchange, exchange, nest, replace, remove];

/** Adds more items or members of the same kind to a list or an object. */
function repeat({ holder, key }: Spot, { most: mostCharacters, random }: Means): void {
  const value = read(holder, key);
  const times = (item: unknown) => {
    // A value that no body has room for is not worth writing.
    const fitting = Math.ceil(mostCharacters / Math.max(1, measureText(item, mostCharacters)));
    return Math.min(fitting, Math.floor(random() ** 3 * mostMembers));
  };
  if (Array.isArray(value)) {
    const item: unknown = value.length > 0 ? pick(random, value) : 0;
    for (let count = times(item); count > 0; count--) value.push(item);
  } else if (isRecord(value)) {
    const member = Object.values(value).at(Math.floor(random() * Object.keys(value).length)) ?? {};
    const length = pick(random, [1, 8, 250]);
    for (let at = times(member); at > 0; at--) write(value, `m${at}`.padEnd(length, 'x'), member);
  } else write(holder, key, new Array(times(value)).fill(value));
}

function stretch({ holder, key }: Spot, { most, random }: Means): void {
  const value = read(holder, key);
  const text = pick(random, texts).repeat(Math.floor((random() ** 4 * most) / 4));
  write(holder, key, typeof value === 'string' && random() < 0.5 ? value + text : text);
}

function exchange({ holder, key }: Spot, { others, random }: Means): void {
  const other = pick(random, listSpots({ body: pick(random, others) }));
  write(holder, key, structuredClone(read(other.holder, other.key)));
}

function nest({ holder, key }: Spot, { random }: Means): void {
  let value = read(holder, key);
  for (let depth = Math.floor(random() * 60); depth > 0; depth--)
    value = random() < 0.5 ? [value] : { a: value };
  write(holder, key, value);
}

function replace({ holder, key }: Spot, { random }: Means): void {
  write(holder, key, structuredClone(pick(random, values)));
}

function remove({ holder, key }: Spot): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else if (Object.keys(holder).length > 1) delete holder[key];
}

function read(holder: Holder, key: string): unknown {
  return Array.isArray(holder) ? holder[Number(key)] : holder[key];
}

/** Makes it an own member, whatever its name is. */
function write(holder: Holder, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Some of the places in a value, nearest to its root first. Listing all of them would take longer than the
 * measured work.
 */
function listSpots(root: Record<string, unknown>): Spot[] {
  const spots: Spot[] = [];
  const open: Holder[] = [root];
  for (let holder = open.shift(); holder !== undefined && spots.length < 500; holder = open.shift()) {
    for (const key of Object.keys(holder).slice(0, 40)) {
      spots.push({ holder, key });
      const value = read(holder, key);
      if (Array.isArray(value) || isRecord(value)) open.push(value);
    }
  }
  return spots;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
