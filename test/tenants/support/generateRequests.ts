import type { Credential, Operation, Parameter } from './apiOperations.ts';
import { buildLargest, type Meaning } from './largestValue.ts';
import type { WorstRequest } from './worstRequests.ts';

export type GenerationScene = Omit<Meaning, 'isPlain'> & {
  /** The headers of each credential. */
  readonly headers: Readonly<Record<Credential, Readonly<Record<string, string>>>>;
  /** The headers of routes that end their own credential. */
  readonly ownHeaders: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * The path parameters, by the part of the path before them and their name, as in `documents/{documentId}`.
   */
  readonly parts: Readonly<Record<string, string>>;
  readonly bodyValues: number;
};

/** The server cuts off a longer query before a route sees it. */
const longestQuery = 12_000;
/** How long an endless stream is read. */
const streamMs = 300;

/**
 * These credentials work like the API key. If a route accepts several credentials, the first one gets all
 * requests, and these get only the largest page.
 */
const sameAsKey: readonly Credential[] = ['bearer', 'session'];

/**
 * Requests to a route, built from the OpenAPI document: the largest page, all parameters at once, parameters
 * and bodies of the largest size, and requests that make no sense.
 *
 * @throws Error if the scene has no value for a path parameter.
 */
export function generateRequests(operation: Operation, scene: GenerationScene): WorstRequest[] {
  const { operationId, method, mediaTypes } = operation;
  const path = fillPath(operation, scene);
  const plain = operation.body && buildLargest(operation.body, { ...scene, isPlain: true });
  return operation.credentials.flatMap((credential, at) => {
    const request = (
      what: string,
      asked: { query?: string; body?: unknown; headers?: Record<string, string> },
    ): WorstRequest => ({
      name: `${operationId} by ${credential}: ${what}`,
      method,
      path: `${path}${asked.query ? `?${asked.query}` : ''}`,
      credential,
      headers: { ...(scene.ownHeaders[operationId] ?? scene.headers[credential]), ...asked.headers },
      ...(asked.body !== undefined && { body: asked.body }),
      ...(mediaTypes.includes('text/event-stream') && { forMs: streamMs }),
    });
    const largest = request('the largest page', { query: writeLargestPage(operation, scene), body: plain });
    // A file depends only on its subject, not on other query parameters or on its reader.
    const isFile = mediaTypes.includes('text/html');
    if (at > 0 && isFile) return [];
    if (at > 0 && sameAsKey.includes(credential)) return [largest];
    const queries = isFile ? [] : listQueries(operation, scene);
    return [
      largest,
      ...queries.map(([what, query]) => request(what, { query, body: plain })),
      ...listBodies(operation, { scene, plain }).map(([what, body]) => request(what, { body })),
      ...mediaTypes
        .filter((type) => type.startsWith('text/') && type !== 'text/event-stream')
        .map((accept) => request(`as ${accept}`, { headers: { accept } })),
    ];
  });
}

function fillPath({ operationId, path }: Operation, { parts }: GenerationScene): string {
  const words = path.split('/');
  return words
    .map((word, at) => {
      if (!word.startsWith('{')) return word;
      const before = words
        .slice(0, at)
        .filter((other) => !other.startsWith('{'))
        .slice(-2);
      const value = parts[`${before.join('/')}/${word}`];
      if (value === undefined)
        throw new Error(`${operationId}: there is no value for ${word} after ${before.join('/')}`);
      return value;
    })
    .join('/');
}

function parametersOfQuery({ parameters }: Operation): Parameter[] {
  return parameters.filter((parameter) => parameter.in === 'query');
}

function writeQuery(parameters: readonly Parameter[], textOf: (parameter: Parameter) => string): string {
  return parameters.map((one) => `${one.name}=${encodeURIComponent(textOf(one))}`).join('&');
}

function writeLargest({ known, ...scene }: GenerationScene) {
  return ({ name, schema }: Parameter) =>
    String(known[name] ?? buildLargest(schema, { ...scene, known, isPlain: false }));
}

function writeLargestPage(operation: Operation, scene: GenerationScene): string {
  const needed = parametersOfQuery(operation).filter(
    ({ name }) => name === 'limit' || scene.known[name] !== undefined,
  );
  return writeQuery(needed, writeLargest(scene));
}

function listQueries(operation: Operation, scene: GenerationScene): [string, string][] {
  const all = parametersOfQuery(operation);
  if (all.length === 0) return [];
  const free = all.filter(({ name }) => name !== 'cursor' && name !== 'consistency');
  // The route refuses several orders at once.
  const filters = free.filter(({ name }) => !name.startsWith('sort'));
  return [
    ['all parameters', writeQuery(free, writeLargest(scene))],
    ['filters', writeQuery(filters, writeLargest(scene))],
    ['parameters without sense', writeQuery(all, () => '9'.repeat(Math.floor(longestQuery / all.length)))],
    ['a cursor without sense', `cursor=${'A'.repeat(4_096)}`],
    ['parameters that nobody knows', 'a=1&'.repeat(longestQuery / 4)],
  ];
}

/** The most members of one object. */
const mostMembers = 4_096;

function listBodies(
  { body }: Operation,
  { scene, plain }: { scene: GenerationScene; plain: unknown },
): [string, unknown][] {
  if (!body) return [];
  const most = scene.bodyValues - 100;
  const members = Object.keys(isRecord(plain) ? plain : {});
  const ofEach = (value: unknown) => Object.fromEntries(members.map((name) => [name, value]));
  const nested = Array.from({ length: 4_000 }).reduce<unknown>(
    (inner, _, at) => (at % 2 ? [inner] : { a: inner }),
    0,
  );
  return [
    ['everything that may be', buildLargest(body, { ...scene, isPlain: false })],
    [
      'members that nobody knows',
      Object.fromEntries(Array.from({ length: mostMembers }, (_, at) => [`m${at}`.padEnd(200, 'x'), 0])),
    ],
    ['zeros', new Array(most).fill(0)],
    ['nesting', nested],
    ['members of zeros', ofEach(new Array(Math.floor(most / Math.max(1, members.length))).fill(0))],
    [
      'members of control characters',
      ofEach('\u0001'.repeat(Math.floor(150_000 / Math.max(1, members.length)))),
    ],
  ];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
