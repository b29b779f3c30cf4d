import { expect } from 'vitest';
import { type ContractDocument, fetchChecked, type Operation, readContract } from './apiContract.ts';

export type ExampleRun = { operationId: string; status: number };

/**
 * Carries out the example of every operation as its document shows it, in the order of the document, those that remove something
 * last. Parts of paths are taken from the answers that link to the operation. Each answer has to be a success as documented.
 */
export async function runExamples(
  baseUrl: string,
  {
    key,
    before = {},
  }: {
    key: string /** What the world has to do first, by operation. */;
    before?: Record<string, () => Promise<unknown>>;
  },
): Promise<ExampleRun[]> {
  const { document } = await readContract(baseUrl);
  const known = new Map<string, string>();
  const runs: ExampleRun[] = [];
  for (const { method, path, operation } of listOperations(document)) {
    const { operationId, requestBody, security } = operation;
    await before[operationId]?.();
    const body = requestBody && JSON.stringify(requestBody.content['application/json'].example);
    const { status, text } = await fetchChecked(baseUrl, fillTarget(path, operation, known), {
      method,
      headers: {
        ...(security.length > 0 && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
    expect(status, `${operationId} answers ${text}`).toBeLessThan(300);
    rememberLinks(operation, { status, text, known });
    runs.push({ operationId, status });
  }
  return runs;
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

/** Keeps what the answer says of the paths of operations that go on from it. */
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
