import { JsonCursor, type JsonObject } from '../../protocol/jsonCursor.ts';

/** The readable part of an agreement: its type (`md`, `html`, `text` or another name) and its text. */
export type Content = { readonly contentType: string; readonly template: string };

/** Markdown if a document names no type; an empty text if it has none. */
export function readContent(agreement: JsonObject): Content {
  const content = new JsonCursor(agreement).at('content');
  const { value: contentType } = content.at('type');
  const { value: template } = content.at('data');
  return {
    contentType: typeof contentType === 'string' ? contentType : 'md',
    template: typeof template === 'string' ? template : '',
  };
}
