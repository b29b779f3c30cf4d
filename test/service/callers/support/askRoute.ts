import { readContract } from '../../support/apiContract.ts';

/** A route with a request that asks for what belongs to somebody. */
export type Route = {
  readonly operationId: string;
  readonly method: string;
  /** With the ids in it. */
  readonly target: string;
  readonly body: string | undefined;
  /** Whether it names something by its id. */
  readonly isById: boolean;
};

/** What stands in paths, by what is before it; and in queries, by name. */
export type References = {
  readonly paths: Readonly<Record<string, string>>;
  readonly queries: Readonly<Record<string, string>>;
};

/**
 * Every route of the OpenAPI document, those that end something last, with its own example as its body.
 *
 * @throws Error for a path with something in it that has no reference.
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

/** Sends the request of a route; of a stream, its beginning is what is told. */
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
