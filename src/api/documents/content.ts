import { JsonCursor, type JsonObject } from '../../protocol/jsonCursor.ts';

/** The readable part of an agreement as it was authored: `md`, `html`, `text` or another name, and the text. */
export type Content = { readonly contentType: string; readonly template: string };

/** Markdown where a document names no type; no text where it has none. */
export function readContent(agreement: JsonObject): Content {
  const content = new JsonCursor(agreement).at('content');
  const { value: contentType } = content.at('type');
  const { value: template } = content.at('data');
  return {
    contentType: typeof contentType === 'string' ? contentType : 'md',
    template: typeof template === 'string' ? template : '',
  };
}
