import { quoteUnlessPlain } from '../../protocol/quote.ts';

/** Members that are useless in part: they go back to the service, to a wallet or to a person unchanged. */
const whole = new Set([
  'id',
  'agreementId',
  'nextCursor',
  'consistency',
  'url',
  'typedData',
  'digest',
  'means',
  'quotedCall',
  'docUri',
  'documentId',
  'txHash',
  'address',
]);

/** Limits: characters of a text, items of a list, members of a map, and the part of the room for one quoted member. */
type Bounds = {
  readonly text: number;
  readonly items: number;
  readonly members: number;
  readonly quotedShare: number;
  /** Items of a list inside a list, if fewer. */
  readonly nestedItems?: number;
};

const unbounded: Bounds = { text: Infinity, items: Infinity, members: Infinity, quotedShare: 1 };

/** Increasingly tight. The last ones leave out the largest quoted members, whatever is in them. */
const steps: readonly Bounds[] = [
  { text: 4_000, items: 200, members: 200, quotedShare: 1 },
  { text: 1_500, items: 60, members: 80, quotedShare: 1 },
  { text: 600, items: 30, members: 40, quotedShare: 1 },
  { text: 250, items: 15, members: 25, quotedShare: 1 },
  { text: 200, items: 11, members: 25, quotedShare: 1 },
  { text: 120, items: 8, members: 20, quotedShare: 1 },
  { text: 80, items: 4, members: 20, quotedShare: 1 },
  { text: 60, items: 2, members: 20, quotedShare: 1 },
  { text: 40, items: 1, members: 20, quotedShare: 1 },
  { text: 40, items: 1, members: 20, quotedShare: 1 / 4 },
  { text: 40, items: 1, members: 20, quotedShare: 1 / 16 },
  { text: 40, items: 1, members: 20, quotedShare: 0 },
  { text: 8, items: 1, members: 20, quotedShare: 0 },
  { text: 8, items: 1, members: 20, quotedShare: 0, nestedItems: 0 },
];

/** Quoted members below this size stay. */
const leastShare = 40;

const mostNotes = 8;
const longestNote = 120;
/** Paths contain names by the parties. */
const longestPath = 70;
/** Characters for the list of omissions, at most. */
const mostNoteRoom = 1_200;

/** What was left out of an answer, and where. */
export type Omission = string;

export type Fitted<Answer> = {
  readonly answer: Answer;
  readonly omitted: Omission[];
  /** False if the members that are never left out are too long together. */
  readonly fits: boolean;
};

/** The characters that a piece of JSON takes; those of several pieces add up. */
export type MeasureJson = (json: string) => number;

/**
 * Shortens an answer to its limit: the longest texts first, then lists and maps, at last whole quoted members. Members
 * keep their types, so that the answer still has its promised shape. It fits together with its omissions; typed data do
 * not count. The time that it takes depends on the room and not on the answer.
 */
export function fitAnswer<Answer extends object>(
  answer: Answer,
  room: number,
  measure: MeasureJson = (json) => json.length,
): Fitted<Answer> {
  if (tryBounds(answer, { bounds: unbounded, room, measure })) return { answer, omitted: [], fits: true };
  const noteRoom = Math.min(mostNoteRoom, Math.floor(room / 5));
  for (const bounds of steps) {
    const fitted = tryBounds(answer, { bounds, room: room - noteRoom, measure });
    if (fitted)
      return { answer: fitted.answer, omitted: summarize(fitted, { noteRoom, measure }), fits: true };
  }
  const [tightest = unbounded] = steps.slice(-1);
  const walk = { ...startWalk({ bounds: tightest, room, measure }), left: Infinity };
  const shortened = shorten(answer, walk, top);
  return { answer: shortened, omitted: summarize(walk.notes, { noteRoom, measure }), fits: false };
}

type Attempt = { readonly bounds: Bounds; readonly room: number; readonly measure: MeasureJson };

type Notes = { readonly emptied: Omission[]; readonly cut: Omission[]; more: number };

/** One pass over an answer. It ends as soon as nothing is left of the room. */
type Walk = {
  readonly bounds: Bounds;
  readonly measure: MeasureJson;
  /** Characters for one quoted member. */
  readonly share: number;
  readonly notes: Notes;
  left: number;
};

type Place = {
  readonly path: string;
  readonly name: string;
  readonly isQuoted: boolean;
  readonly isInList: boolean;
};
const top: Place = { path: '', name: '', isQuoted: false, isInList: false };

function startWalk({ bounds, room, measure }: Attempt): Walk {
  const share = Math.max(leastShare, Math.floor(room * bounds.quotedShare));
  return { bounds, measure, share, left: room, notes: { emptied: [], cut: [], more: 0 } };
}

/** Undefined if the answer is too long within these bounds. */
function tryBounds<Answer extends object>(
  answer: Answer,
  attempt: Attempt,
): (Notes & { answer: Answer }) | undefined {
  const walk = startWalk(attempt);
  const shortened = shorten(answer, walk, top);
  return walk.left < 0 ? undefined : { ...walk.notes, answer: shortened };
}

/** Members of the same names and types, with less content. */
function shorten<Value>(value: Value, walk: Walk, place: Place): Value;
function shorten(value: unknown, walk: Walk, place: Place): unknown {
  if (typeof value === 'string') return shortenText(value, walk, place);
  if (Array.isArray(value)) return shortenList(value, walk, place);
  if (typeof value === 'object' && value !== null) return shortenMembers(value, walk, place);
  spend(JSON.stringify(value) ?? 'null', walk);
  return value;
}

function shortenText(text: string, walk: Walk, place: Place): string {
  const { bounds } = walk;
  const isLong = text.length > bounds.text;
  const shown = isLong ? `${text.slice(0, bounds.text - 1).toWellFormed()}…` : text;
  if (shown.length > walk.left) {
    walk.left = -1;
    return shown;
  }
  const json = JSON.stringify(shown);
  // Escapes take up to six characters each.
  const isWide = json.length > 2 * bounds.text + 2;
  if (isLong || isWide) noteCut(`${isWide ? 0 : bounds.text} of ${text.length} characters`, walk, place);
  spend(isWide ? '"…"' : json, walk);
  return isWide ? '…' : shown;
}

function shortenList(list: readonly unknown[], walk: Walk, place: Place): unknown[] {
  const { items: most, nestedItems = most } = walk.bounds;
  const items = place.isInList ? nestedItems : most;
  if (list.length > items) noteCut(`${items} of ${list.length} items`, walk, place);
  spend('[]', walk);
  const shown: unknown[] = [];
  for (const [index, item] of list.entries()) {
    if (index >= items || walk.left < 0) break;
    if (index > 0) spend(',', walk);
    shown.push(shorten(item, walk, { ...place, isInList: true, path: `${place.path}[${index}]` }));
  }
  return shown;
}

function shortenMembers(map: object, walk: Walk, place: Place): object {
  const members = Object.entries(map).filter(([, member]) => member !== undefined);
  const isTop = place.path === '';
  const most = isTop ? Infinity : walk.bounds.members;
  if (members.length > most) noteCut(`${most} of ${members.length} members`, walk, place);
  spend('{}', walk);
  const shown: [string, unknown][] = [];
  for (const [name, member] of members) {
    if (shown.length >= most || walk.left < 0) break;
    const path = isTop ? name : `${place.path}.${name.slice(0, 40)}`;
    const inner = { ...place, path, name };
    const kept = shortenMember(member, walk, inner);
    if (kept === undefined) continue;
    spend(`${JSON.stringify(name)}:,`, walk);
    shown.push([name, kept]);
  }
  return Object.fromEntries(shown);
}

function shortenMember(member: unknown, walk: Walk, place: Place): unknown {
  if (place.isQuoted) return shorten(member, walk, place);
  if (place.name.startsWith('quoted')) return shortenQuoted(member, walk, { ...place, isQuoted: true });
  if (place.name === 'typedData') return member;
  if (!whole.has(place.name)) return shorten(member, walk, place);
  spend(JSON.stringify(member), walk);
  return member;
}

/** The parties choose the names in it, so that no name protects anything there. */
function shortenQuoted(member: unknown, walk: Walk, place: Place): unknown {
  const isWhole = whole.has(place.name);
  const bounds = isWhole ? unbounded : walk.bounds;
  const budget = Math.min(walk.share, walk.left);
  const inner: Walk = { ...walk, bounds, left: budget, notes: { emptied: [], cut: [], more: 0 } };
  const shown = shorten(member, inner, place);
  if (inner.left >= 0) {
    walk.left -= budget - inner.left;
    walk.notes.cut.push(...inner.notes.cut);
    walk.notes.more += inner.notes.more;
    return shown;
  }
  if (walk.share > walk.left) walk.left = -1;
  walk.notes.emptied.push(`${place.path}: left out`);
  // A part of it would pass for another one.
  if (isWhole) return undefined;
  const empty = findEmpty(member);
  spend(JSON.stringify(empty), walk);
  return empty;
}

function findEmpty(value: unknown): unknown {
  if (typeof value === 'string') return '';
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : value;
}

function spend(json: string, walk: Walk): void {
  walk.left -= walk.measure(json);
}

function noteCut(what: string, { notes }: Walk, { path }: Place): void {
  if (notes.cut.length < mostNotes) notes.cut.push(`${quoteUnlessPlain(path, longestPath)}: ${what}`);
  else notes.more += 1;
}

function summarize(
  { emptied, cut, more }: Notes,
  { noteRoom, measure }: { noteRoom: number; measure: MeasureJson },
): Omission[] {
  const all = [...emptied, ...cut];
  const shown: Omission[] = [];
  let left = noteRoom - measure('["and 1000000 more"]');
  for (const note of all.slice(0, mostNotes)) {
    const short = note.length <= longestNote ? note : `${note.slice(0, longestNote - 1).toWellFormed()}…`;
    left -= measure(`${JSON.stringify(short)},`);
    if (left < 0) break;
    shown.push(short);
  }
  const hidden = all.length - shown.length + more;
  return hidden > 0 ? [...shown, `and ${hidden} more`] : shown;
}
