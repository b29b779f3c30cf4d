import { expect } from 'vitest';
import { type ContractDocument, fetchChecked, type Operation, readContract } from './apiContract.ts';

export type ExampleRun = { operationId: string; status: number };

/** What an example cannot contain: a link's secret, a wallet's signature, or part of the path. */
export type Replaced = { link?: string; body?: object; path?: string };

/**
 * Runs the documented example of every operation, in the document's order; those that remove something run
 * last. Takes path parameters from answers that link to the operation. Each answer must be a documented
 * success.
 */
export async function runExamples(
  baseUrl: string,
  {
    key,
    before = {},
  }: {
    key: string;
    /** Prepares an operation before it runs, by the operation's id. */
    before?: Record<string, () => Promise<Replaced | undefined>>;
  },
): Promise<ExampleRun[]> {
  const { document } = await readContract(baseUrl);
  const known = new Map<string, string>();
  const runs: ExampleRun[] = [];
  const jar = new Map<string, string>();
  let link = '';
  for (const { method, path, operation } of listOperations(document)) {
    const { operationId, requestBody, security } = operation;
    const replaced = (await before[operationId]?.()) ?? {};
    link = replaced.link ?? link;
    const ways = security.flatMap((way) => Object.keys(way));
    const body =
      requestBody && JSON.stringify(replaced.body ?? requestBody.content['application/json'].example);
    const target = replaced.path ?? fillTarget(path, operation, known);
    const isOfBrowser = !ways.includes('apiKey') && !ways.includes('signingLink');
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    if (isStream(operation)) {
      const { status } = await peek(`${baseUrl}${target}`, key);
      expect(status, operationId).toBe(200);
      runs.push({ operationId, status });
      continue;
    }
    const { status, headers, text } = await fetchChecked(baseUrl, target, {
      method,
      headers: {
        ...(ways.includes('apiKey') && { 'x-api-key': key }),
        ...(ways.includes('signingLink') && { 'x-agreements-link': link }),
        ...(isOfBrowser && { cookie, 'x-agreements-session': '1' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
    expect(status, `${operationId} answers ${text}`).toBeLessThan(300);
    link = findSecret(text) ?? link;
    for (const line of headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1).join('').split('=', 2);
      jar.set(name, value);
    }
    rememberLinks(operation, { status, text, known });
    runs.push({ operationId, status });
  }
  return runs;
}

/** The secret of a signing link; the answer that creates a link shows it. */
function findSecret(text: string): string | undefined {
  return /#(agl_[0-9a-f]{64})/.exec(text)?.[1];
}

function isStream({ responses }: Operation): boolean {
  return 'text/event-stream' in (responses['200']?.content ?? {});
}

/** Reads only the beginning of an endless response. */
async function peek(url: string, key: string): Promise<Response> {
  const abort = new AbortController();
  const response = await fetch(url, { headers: { 'x-api-key': key }, signal: abort.signal });
  await response.body?.getReader().read();
  abort.abort();
  return response;
}

function listOperations(document: ContractDocument) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return operations.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
}

function fillTarget(path: string, operation: Operation, known: ReadonlyMap<string, string>): string {
  const { operationId, parameters } = operation;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find(({ in: place, ...other }) => place === 'path' && other.name === name);
    const example = known.get(`${operationId} ${name}`) ?? parameter?.example ?? parameter?.schema.example;
    expect(example, `${operationId} has an example of its ${name}`).toBeDefined();
    return encodeURIComponent(String(example));
  });
  const query = parameters.flatMap(({ in: place, name, example }) =>
    place === 'query' && example !== undefined ? [`${name}=${encodeURIComponent(example)}`] : [],
  );
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/** Remembers the path parameters that the answer's links give for later operations. */
function rememberLinks(
  { responses }: Operation,
  { status, text, known }: { status: number; text: string; known: Map<string, string> },
): void {
  for (const { operationId, parameters } of Object.values(responses[status]?.links ?? {}))
    for (const [name, expression] of Object.entries(parameters)) {
      const value = findAt(JSON.parse(text), expression.replace('$response.body#', ''));
      expect(typeof value, `${expression} for ${operationId}`).toBe('string');
      known.set(`${operationId} ${name}`, String(value));
    }
}

function findAt(value: unknown, pointer: string): unknown {
  const [, ...names] = pointer.split('/');
  return names.reduce((at: unknown, name) => Object(at)[name], value);
}
