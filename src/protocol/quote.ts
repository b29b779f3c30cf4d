const longestQuote = 100;

/** A document's text for a message, shortened: it may be as long as the document. */
export function quote(text: string): string {
  return JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text);
}
