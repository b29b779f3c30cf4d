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
const mostCharacters = 1_000_000;

/** A copy of a value that tries to cost more: parts are repeated, lengthened, nested, exchanged with parts of others, or left out. */
export function lengthen(value: unknown, others: readonly unknown[], random: () => number): unknown {
  const root: { body: unknown } = { body: structuredClone(value) };
  for (let count = pick(random, [1, 1, 2, 3, 5]); count > 0; count--) {
    const spot = pick(random, listSpots(root));
    pick(random, acts)(spot, { others, random });
  }
  return root.body;
}

type Means = { others: readonly unknown[]; random: () => number };
type Act = (spot: Spot, means: Means) => void;

const acts: readonly Act[] = [repeat, repeat, stretch, stretch, exchange, exchange, nest, replace, remove];

/** Gives a list or an object more of what it has. */
function repeat({ holder, key }: Spot, { random }: Means): void {
  const value = read(holder, key);
  const times = (item: unknown) => {
    // What no body has room for is not worth the time to write it.
    const most = Math.ceil(mostCharacters / (JSON.stringify(item)?.length ?? 1));
    return Math.min(most, Math.floor(random() ** 3 * mostMembers));
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

function stretch({ holder, key }: Spot, { random }: Means): void {
  const value = read(holder, key);
  const text = pick(random, texts).repeat(Math.floor(random() ** 4 * 200_000));
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

/** As an own member, whatever it is called. */
function write(holder: Holder, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Some of the places in a value, those near its root all: looking at every one would take longer than what is measured. */
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
