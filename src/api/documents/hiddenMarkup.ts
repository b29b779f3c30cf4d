/** The attributes of elements that the page shows or follows. */
const shown: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  img: ['alt'],
  ol: ['start'],
  li: ['value'],
  th: ['align', 'colspan', 'rowspan', 'style'],
  td: ['align', 'colspan', 'rowspan', 'style'],
};
/** The values that these may have without being a text: Markdown aligns the cells of its tables by a style. */
const formats: Readonly<Record<string, RegExp>> = {
  align: /^(?:left|center|right)$/i,
  colspan: /^\d{1,3}$/,
  rowspan: /^\d{1,3}$/,
  start: /^\d{1,9}$/,
  style: /^text-align:(?:left|center|right)$/,
  value: /^\d{1,9}$/,
};

/** Whether an element has an attribute that could hold a text and that the page drops. */
export function hasHiddenAttribute(name: string, attributes: Readonly<Record<string, string>>): boolean {
  return Object.entries(attributes).some(([attribute, value]) => {
    if (!shown[name]?.includes(attribute)) return true;
    return !(formats[attribute]?.test(value) ?? true);
  });
}

/** Comments and the like begin with these characters; the text in them is dropped. */
const noElement = /<(?:[!?]|\/(?![a-z]))/i;
const endTag = /<\/([a-z][^\s/>]*)([^>]*)>/gi;

/**
 * Whether HTML has a text outside its elements that the page drops: in comments and declarations, in end tags, or in a tag
 * that does not end.
 *
 * @param isKnown whether an element of this name is plain markup.
 */
export function hasHiddenText(html: string, isKnown: (name: string) => boolean): boolean {
  if (noElement.test(html) || html.lastIndexOf('<') > html.lastIndexOf('>')) return true;
  return [...html.matchAll(endTag)].some(
    ([, name = '', rest = '']) => rest.trim() !== '' || !isKnown(name.toLowerCase()),
  );
}
