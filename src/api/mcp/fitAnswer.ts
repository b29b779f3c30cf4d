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

/** Increasingly tight limits: characters of a text, items of a list, members of a map. */
const steps = [
  { text: 4_000, items: 200, members: 200 },
  { text: 1_500, items: 60, members: 80 },
  { text: 600, items: 30, members: 40 },
  { text: 250, items: 15, members: 25 },
  { text: 200, items: 11, members: 25 },
  { text: 120, items: 8, members: 20 },
  { text: 80, items: 4, members: 20 },
  { text: 60, items: 2, members: 20 },
  { text: 40, items: 1, members: 20 },
] as const;

const mostNotes = 8;
const longestNote = 120;
/** Paths contain names by the parties. */
const longestPath = 70;

/** What was left out of an answer, and where. */
export type Omission = string;

/**
 * Shortens an answer to its limit: the longest texts first, then lists and maps. Members keep their types, so
 * that the answer still has its promised shape.
 *
 * @param room in characters, as `measure` counts them: those of its JSON unless given.
 */
export function fitAnswer<Answer extends object>(
  answer: Answer,
  room: number,
  measure: (shortened: Answer) => number = (shortened) => JSON.stringify(shortened).length,
): { answer: Answer; omitted: Omission[] } {
  if (measure(answer) <= room) return { answer, omitted: [] };
  let fitted = { answer, omitted: [] as Omission[] };
  for (const bounds of steps) {
    const omitted: Omission[] = [];
    const shortened = shorten(answer, { bounds, omitted, path: '' });
    fitted = { answer: shortened, omitted: summarize(omitted) };
    if (measure(shortened) <= room) break;
  }
  return fitted;
}

type Shortening = { bounds: (typeof steps)[number]; omitted: Omission[]; path: string };

/** Members of the same names and types, with less content. */
function shorten<Value>(value: Value, shortening: Shortening): Value;
function shorten(value: unknown, { bounds, omitted, path }: Shortening): unknown {
  if (typeof value === 'string') {
    if (value.length <= bounds.text) return value;
    omitted.push(`${quoteUnlessPlain(path, longestPath)}: ${bounds.text} of ${value.length} characters`);
    return `${value.slice(0, bounds.text - 1).toWellFormed()}…`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (value.length > bounds.items)
      omitted.push(`${quoteUnlessPlain(path, longestPath)}: ${bounds.items} of ${value.length} items`);
    return value
      .slice(0, bounds.items)
      .map((item, index) => shorten(item, { bounds, omitted, path: `${path}[${index}]` }));
  }
  const members = Object.entries(value);
  if (members.length > bounds.members)
    omitted.push(`${quoteUnlessPlain(path, longestPath)}: ${bounds.members} of ${members.length} members`);
  return Object.fromEntries(
    members.slice(0, bounds.members).map(([name, member]) => {
      const inner = path === '' ? name : `${path}.${name.slice(0, 40)}`;
      return [name, whole.has(name) ? member : shorten(member, { bounds, omitted, path: inner })];
    }),
  );
}

function summarize(omitted: readonly Omission[]): Omission[] {
  const shown = omitted
    .slice(0, mostNotes)
    .map((note) => (note.length <= longestNote ? note : `${note.slice(0, longestNote - 1).toWellFormed()}…`));
  const more = omitted.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}
