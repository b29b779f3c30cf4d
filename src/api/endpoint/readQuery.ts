import { malformed } from '../../platform/errors/serviceError.ts';

/**
 * The query parameters of a URL by name.
 *
 * @throws MalformedError if one is given more than once, or is not UTF-8.
 */
export function readQuery(url: string): Record<string, string> {
  const start = url.indexOf('?');
  // A parameter may have the name of a member of every object.
  const query: Record<string, string> = Object.create(null);
  if (start === -1) return query;
  requireUtf8(url.slice(start + 1));
  const repeated = new Set<string>();
  for (const [name, value] of new URL(url).searchParams) {
    if (name in query) repeated.add(name);
    query[name] = value;
  }
  if (repeated.size === 0) return query;
  const issues = [...repeated].map((path) => ({ path, message: 'is given more than once' }));
  throw malformed('query', issues);
}

/** Refuses text that cannot be decoded: it would be read differently from what the caller sent. */
function requireUtf8(query: string): void {
  if (!query.includes('%')) return;
  const unreadable = query.split('&').filter((part) => decode(part) === undefined);
  if (unreadable.length === 0) return;
  const issues = unreadable.map((part) => {
    const [name = ''] = part.split('=', 1);
    return { path: decode(name) ?? name, message: 'is not percent-encoded UTF-8' };
  });
  throw malformed('query', issues);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
