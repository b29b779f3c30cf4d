/**
 * JSON of an object with added members whose values are JSON already; that text is copied character by
 * character.
 */
export function spliceJson(
  object: Readonly<Record<string, unknown>>,
  texts: Readonly<Record<string, string>>,
): string {
  let written = JSON.stringify(object).slice(0, -1);
  for (const [name, text] of Object.entries(texts))
    written += `${written === '{' ? '' : ','}"${name}":${text}`;
  return `${written}}`;
}
