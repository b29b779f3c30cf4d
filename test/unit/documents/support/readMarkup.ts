/** One tag, with its attributes. */
export type Tag = { name: string; isEnd: boolean; attributes: Record<string, string> };

const tagPattern = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)(?: \/)?>/g;
const attributePattern = / ([a-z-]+)="([^"<>]*)"/g;

/**
 * The tags of HTML in the only form that the service writes: names in lower case, attributes quoted, every
 * other angle bracket escaped. `rest` is the text without tags.
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

/** Whether every element ends inside the element in which it started. */
export function isBalanced(tags: readonly Tag[]): boolean {
  const open: string[] = [];
  for (const { name, isEnd } of tags) {
    if (voidElements.includes(name)) continue;
    if (!isEnd) open.push(name);
    else if (open.pop() !== name) return false;
  }
  return open.length === 0;
}
