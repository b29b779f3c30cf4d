import { parseAccept } from 'hono/utils/accept';

/** The served forms of a document, preferred ones first. */
const forms = [
  { form: 'json', type: 'application/json', family: 'application/*' },
  { form: 'html', type: 'text/html', family: 'text/*' },
  { form: 'markdown', type: 'text/markdown', family: 'text/*' },
] as const;
export type Form = (typeof forms)[number]['form'];

/**
 * The form that an Accept header asks for: the highest quality, then the most precise range, then the first.
 * JSON if it asks for no served form. Never throws: a malformed media range is ignored.
 */
export function chooseForm(accept: string | null): Form {
  const ranges = parseAccept(accept ?? '*/*').map(({ type, q }) => ({ type: type.toLowerCase(), q }));
  const choices = forms.flatMap(({ form, type, family }) => {
    // The most precise range decides about a form.
    const precision = [type, family, '*/*'].findIndex((name) => ranges.some((range) => range.type === name));
    const position = ranges.findIndex((range) => range.type === [type, family, '*/*'][precision]);
    const quality = ranges[position]?.q ?? 0;
    return quality > 0 ? [{ form, quality, precision, position }] : [];
  });
  const [best] = choices.toSorted(
    (a, b) => b.quality - a.quality || a.precision - b.precision || a.position - b.position,
  );
  return best?.form ?? 'json';
}
