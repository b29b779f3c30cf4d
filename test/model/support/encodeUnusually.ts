import { type Address, type Hex, toHex } from 'viem';
import type { DataField } from '../../../src/protocol/index.ts';
import { pick } from '../../support/random.ts';

type Random = () => number;

/**
 * Data fields in a valid encoding that no usual encoder writes: the items and their data in any order and at any
 * byte, equal ones shared, other bytes between them, nothing that pads the end, or something after it.
 */
export function encodeFieldsUnusually(random: Random, fields: readonly DataField[]): Hex {
  const lead = inventGap(random);
  const sharing = random() < 0.5;
  const headSize = fields.length * 32;
  const order = shuffle(
    random,
    fields.map((_, index) => index),
  );
  const starts = new Map<number, number>();
  const data = new Map<string, number>();
  let items = '';
  // The place of an item's data is written when all items stand.
  for (const index of order) {
    const twin = sharing
      ? order.find((other) => starts.has(other) && fields[other] === fields[index])
      : undefined;
    const start = twin === undefined ? undefined : starts.get(twin);
    if (start !== undefined) {
      starts.set(index, start);
      continue;
    }
    items += inventGap(random);
    starts.set(index, headSize + items.length / 2);
    items += '0'.repeat(192);
  }
  let tail = '';
  for (const [index, start] of [...starts]) {
    const field = fields[index];
    if (field === undefined) continue;
    let at = sharing ? data.get(field.data) : undefined;
    if (at === undefined) {
      tail += inventGap(random);
      at = headSize + (items.length + tail.length) / 2;
      data.set(field.data, at);
      tail += wordOf((field.data.length - 2) / 2) + field.data.slice(2);
    }
    const item = field.id.slice(2) + wordOf(field.fType) + wordOf(at - start);
    const from = (start - headSize) * 2;
    items = items.slice(0, from) + item + items.slice(from + 192);
  }
  const heads = fields.map((_, index) => wordOf(starts.get(index) ?? 0)).join('');
  const end = random() < 0.5 ? '' : inventGap(random);
  return `0x${wordOf(32 + lead.length / 2)}${lead}${wordOf(fields.length)}${heads}${items}${tail}${end}`;
}

/** A text in a valid encoding that no usual encoder writes; an empty one may even be its own length. */
export function encodeTextUnusually(random: Random, text: string): Hex {
  const digits = toHex(text).slice(2);
  if (digits === '' && random() < 0.5) return `0x${wordOf(0)}${wordOf(pick(random, [0, 1, 255]))}`;
  const lead = inventGap(random);
  const end = inventGap(random);
  return `0x${wordOf(32 + lead.length / 2)}${lead}${wordOf(digits.length / 2)}${digits}${end}`;
}

/** Lists of allowed senders whose parts stand apart, in the other order, or both in the same place. */
export function encodeAllowedUnusually(
  random: Random,
  { variables, literals }: { variables: readonly Hex[]; literals: readonly Address[] },
): Hex {
  const ids = wordOf(variables.length) + variables.map((id) => id.slice(2)).join('');
  const addresses = wordOf(literals.length) + literals.map((address) => wordOf(BigInt(address))).join('');
  const [first, second] = [inventGap(random), inventGap(random)];
  const before = 64 + first.length / 2;
  if (random() < 0.2) return `0x${wordOf(before)}${wordOf(before)}${first}${addresses}`;
  const isSwapped = random() < 0.5;
  const [one, other] = isSwapped ? [addresses, ids] : [ids, addresses];
  const after = before + (one.length + second.length) / 2;
  const [idsAt, addressesAt] = isSwapped ? [after, before] : [before, after];
  return `0x${wordOf(idsAt)}${wordOf(addressesAt)}${first}${one}${second}${other}${inventGap(random)}`;
}

/** The digits of bytes that nothing points to. */
function inventGap(random: Random): string {
  return pick(random, ['', '', '00', 'ff', 'ab'.repeat(31), wordOf(0), 'ff'.repeat(32), '00'.repeat(33)]);
}

function wordOf(value: number | bigint): string {
  return value.toString(16).padStart(64, '0');
}

function shuffle<Item>(random: Random, items: readonly Item[]): Item[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}
