const texts = new WeakMap<Response, string>();

/** Notes the text that a response was made of. */
export function noteText(response: Response, text: string): Response {
  texts.set(response, text);
  return response;
}

/** The text that a response was made of, without reading its body; undefined if it was not noted. */
export function findText(response: Response): string | undefined {
  return texts.get(response);
}
