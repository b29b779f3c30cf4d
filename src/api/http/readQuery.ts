import { MalformedError } from '../errors/serviceError.ts';

/**
 * The query parameters of a URL by name.
 *
 * @throws MalformedError where one is given more than once.
 */
export function readQuery(url: string): Record<string, string> {
  const start = url.indexOf('?');
  // A parameter may be called like a member of every object.
  const query: Record<string, string> = Object.create(null);
  if (start === -1) return query;
  const repeated = new Set<string>();
  for (const [name, value] of new URL(url).searchParams) {
    if (name in query) repeated.add(name);
    query[name] = value;
  }
  if (repeated.size === 0) return query;
  const issues = [...repeated].map((path) => ({ path, message: 'is given more than once' }));
  throw new MalformedError('The query is not as expected.', { issues });
}
