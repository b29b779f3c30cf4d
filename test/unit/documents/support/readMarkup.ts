/** One tag of a text, with its attributes. */
export type Tag = { name: string; isEnd: boolean; attributes: Record<string, string> };

const tagPattern = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)(?: \/)?>/g;
const attributePattern = / ([a-z-]+)="([^"<>]*)"/g;

/**
 * The tags of HTML in the one form in which the service writes it: names in lower case, attributes quoted, every other angle
 * bracket escaped. `rest` is all that is left without them.
 */
export function readMarkup(html: string): { tags: Tag[]; rest: string } {
  const tags = Array.from(html.matchAll(tagPattern), ([, slash, name = '', attributes = '']) => ({
    name,
    isEnd: slash === '/',
    attributes: Object.fromEntries(
      Array.from(attributes.matchAll(attributePattern), ([, key = '', value = '']) => [key, value]),
    ),
  }));
  return { tags, rest: html.replaceAll(tagPattern, '') };
}

const voidElements = ['br', 'hr'];

/** Whether every element ends, and within the element in which it began. */
export function isBalanced(tags: readonly Tag[]): boolean {
  const open: string[] = [];
  for (const { name, isEnd } of tags) {
    if (voidElements.includes(name)) continue;
    if (!isEnd) open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}
