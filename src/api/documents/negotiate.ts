/** The forms in which a document is served, in the order of preference where the caller has none. */
const forms = [
  { form: 'json', type: 'application', subtype: 'json' },
  { form: 'html', type: 'text', subtype: 'html' },
  { form: 'markdown', type: 'text', subtype: 'markdown' },
] as const;
type Offer = (typeof forms)[number];
export type Form = Offer['form'];

/** More is no client's, and would only take time. */
const maxRanges = 50;

type MediaRange = { type: string; subtype: string; quality: number };

/**
 * The form that an Accept header asks for: of the highest quality, then the one it names most precisely, then first. Where it
 * asks for nothing that there is, JSON, as an answer in another form is more use than none. Never throws: what is no media
 * range is passed over.
 */
export function chooseForm(accept: string | null): Form {
  const ranges = (accept ?? '*/*').split(',', maxRanges).flatMap(parseRange);
  const choices = forms.flatMap((offer) => {
    const match = findMatch(offer, ranges);
    return match && match.quality > 0 ? [{ ...match, form: offer.form }] : [];
  });
  const [best] = choices.toSorted(
    (a, b) => b.quality - a.quality || b.precision - a.precision || a.position - b.position,
  );
  return best?.form ?? 'json';
}

/** The range that decides on an offer: the most precise of those that include it. */
function findMatch({ type, subtype }: Offer, ranges: readonly MediaRange[]) {
  const matches = ranges.map((range, position) => {
    const isPrecise = range.type === type && range.subtype === subtype;
    const isOfType = range.type === type && range.subtype === '*';
    const isAny = range.type === '*' && range.subtype === '*';
    return { quality: range.quality, position, precision: isPrecise ? 3 : isOfType ? 2 : isAny ? 1 : 0 };
  });
  const [match] = matches
    .filter(({ precision }) => precision > 0)
    .toSorted((a, b) => b.precision - a.precision);
  return match;
}

/** Parameters other than the quality make no difference to what is served. */
function parseRange(text: string): MediaRange[] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [, type, subtype] = /^([\w!#$%&'*+.^`|~-]+)\/([\w!#$%&'*+.^`|~-]+)$/.exec(range) ?? [];
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter)) ?? 'q=1';
  const [, quality] = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(weight) ?? [];
  if (type === undefined || subtype === undefined || quality === undefined) return [];
  return [{ type, subtype, quality: Number(quality) }];
}
