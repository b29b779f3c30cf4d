import { readContract } from '../../support/apiContract.ts';

/** A route with a request for another caller's data. */
export type Route = {
  readonly operationId: string;
  readonly method: string;
  /** With the ids filled in. */
  readonly target: string;
  readonly body: string | undefined;
  /** Whether the path names something by its id. */
  readonly isById: boolean;
};

/** The values for path parameters, by the part of the path before them, and for query parameters, by name. */
export type References = {
  readonly paths: Readonly<Record<string, string>>;
  readonly queries: Readonly<Record<string, string>>;
};

/**
 * Every route of the OpenAPI document, with its own example as its body. Routes that end something come last.
 *
 * @throws Error for a path parameter without a reference.
 */
export async function listRoutes(baseUrl: string, references: References): Promise<Route[]> {
  const { document } = await readContract(baseUrl);
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => {
      const query = parameters
        .filter((parameter) => parameter.in === 'query' && parameter.name in references.queries)
        .map(({ name }) => `${name}=${references.queries[name]}`);
      const example = requestBody?.content['application/json'].example;
      return {
        operationId,
        method: method.toUpperCase(),
        target: [fillPath(path, references.paths), ...query].join('?'),
        body: example === undefined ? undefined : JSON.stringify(example),
        isById: path.includes('{'),
      };
    }),
  );
  const rank = ({ method, target }: Route) => (method !== 'DELETE' ? 0 : target.endsWith('/current') ? 2 : 1);
  return routes.toSorted((a, b) => rank(a) - rank(b));
}

function fillPath(path: string, known: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{\w+\}/g, (_, offset: number) => {
    const before = path.slice(0, offset).replaceAll(/\{\w+\}/g, '*');
    const reference = known[before];
    if (reference === undefined) throw new Error(`name here what stands after ${before} in a path`);
    return reference;
  });
}

export type Heard = { readonly status: number; readonly told: string };

/** Sends the request of a route. Of a stream, reads only the beginning. */
export async function askRoute(
  baseUrl: string,
  { method, target, body }: Route,
  headers: Readonly<Record<string, string>>,
): Promise<Heard> {
  const abort = new AbortController();
  const response = await fetch(`${baseUrl}${target}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
    signal: abort.signal,
  });
  const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
  const text = isStream
    ? new TextDecoder().decode((await response.body?.getReader().read())?.value)
    : await response.text();
  if (isStream) abort.abort();
  return { status: response.status, told: `${text}\n${JSON.stringify([...response.headers])}` };
}
