const mask = '[redacted]';

/** Secrets recognised by their form: API keys, secrets of sessions, links and webhooks, and the password in any URL. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/\b(agk_(?:test|live)_)[\w-]{4,}/g, `$1${mask}`],
  [/\b(ag[splw]_)[0-9a-f]{8,}/g, `$1${mask}`],
  [/\b(whsec_)[\w+/=-]{4,}/g, `$1${mask}`],
  [/(\/\/[^\s/:@"\\]*:)[^\s/@"\\]+@/g, `$1${mask}@`],
];
/** A shorter text would match in many harmless places. */
const shortestSecret = 6;

/**
 * Returns a function that replaces the given texts, and everything with the form of a secret, in a line of a
 * log.
 */
export function createRedactor(secrets: readonly string[]): (line: string) => string {
  const known = [...new Set(secrets.flatMap(spellings))].filter((secret) => secret.length >= shortestSecret);
  // Longest first: if one secret contains another, no rest of it may remain.
  known.sort((a, b) => b.length - a.length);
  return (line) => {
    let text = line;
    for (const secret of known) text = text.replaceAll(secret, mask);
    for (const [form, replacement] of forms) text = text.replace(form, replacement);
    return text;
  };
}

/** As it is, and as it appears inside JSON. */
function spellings(secret: string): string[] {
  return [secret, JSON.stringify(secret).slice(1, -1)];
}
