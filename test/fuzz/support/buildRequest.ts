import type { Operation } from '../../service/support/apiContract.ts';
import { pick } from '../../support/random.ts';
import { generateValue } from './generateValue.ts';
import { breakText, hostileTexts, pickHostile } from './hostile.ts';
import { mutate } from './mutate.ts';
import type { Party } from './world.ts';

/** An operation of the OpenAPI document, with its schemas resolved. */
export type Target = { readonly method: string; readonly path: string; readonly operation: Operation };

export type FuzzRequest = {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
};

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** A request of a party: a valid one, an almost valid one, or one that is wrong on purpose. */
export function buildRequest(
  targets: readonly Target[],
  { self, other }: { self: Party; other: Party },
  random: () => number,
): FuzzRequest {
  const target = pick(random, targets);
  const { operation } = target;
  const isWrongMethod = random() < 0.02;
  const method = isWrongMethod ? pick(random, methods) : target.method;
  const text = writeBody(operation, self, random);
  return {
    operationId: isWrongMethod ? `${method} of another` : operation.operationId,
    method,
    path: fillPath(target, { self, other }, random) + writeQuery(operation, self, random),
    headers: {
      ...writeHeaders(self, random),
      ...(text !== undefined && { 'content-type': contentType(random) }),
    },
    body: text === undefined || method === 'GET' || method === 'HEAD' ? undefined : encode(text, random),
  };
}

function fillPath(
  { path }: Target,
  { self, other }: { self: Party; other: Party },
  random: () => number,
): string {
  if (random() < 0.01) return `/${encodeURIComponent(pick(random, hostileTexts).toWellFormed())}`;
  return path.replaceAll(/\{(\w+)\}/g, () => {
    const kind = random();
    if (kind < 0.65)
      return pick(random, [...self.references, ...self.references, ...self.learned.slice(-20)]);
    if (kind < 0.85) return pick(random, other.references);
    return encodeURIComponent(pick(random, hostileTexts).toWellFormed()) || 'x';
  });
}

function writeQuery({ parameters }: Operation, self: Party, random: () => number): string {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query' && random() < 0.25)
    .map(({ name, schema }) => {
      const kind = random();
      const value =
        kind < 0.6
          ? generateValue(schema, random)
          : kind < 0.8
            ? pick(random, self.learned.length > 0 ? self.learned : self.references)
            : pick(random, hostileTexts);
      return `${random() < 0.5 ? encodeURIComponent(name) : name}=${encodeURIComponent(String(value).toWellFormed())}`;
    });
  if (random() < 0.05 && pairs[0] !== undefined) pairs.push(pairs[0]);
  if (random() < 0.04)
    pairs.push(pick(random, ['unknown=1', '__proto__[a]=1', 'limit[]=1', '=', '%', 'sort=', 'a=%00']));
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function writeBody({ requestBody }: Operation, self: Party, random: () => number): string | undefined {
  if (!requestBody) return random() < 0.05 ? '{}' : undefined;
  if (random() < 0.02) return undefined;
  const { schema, example } = requestBody.content['application/json'];
  const kind = random();
  const own = self.adapt(example);
  const value =
    kind < 0.15
      ? own
      : kind < 0.65
        ? mutate(own, random)
        : kind < 0.9
          ? generateValue(schema, random)
          : pickHostile(random);
  const text = JSON.stringify(value) ?? 'null';
  return random() < 0.12 ? breakText(text, random) : text;
}

function contentType(random: () => number): string {
  if (random() < 0.93) return 'application/json';
  return pick(random, [
    'text/plain',
    'application/json; charset=utf-16',
    'application/xml',
    'multipart/form-data',
    'a',
    'application/merge-patch+json',
  ]);
}

function encode(text: string, random: () => number): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return random() < 0.01 ? Buffer.concat([bytes, Buffer.from([0xff, 0xfe, 0xc0])]) : bytes;
}

function writeHeaders({ key }: Party, random: () => number): Record<string, string> {
  const access = random();
  const plain = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 2_000);
  return {
    ...(access < 0.9
      ? { 'x-api-key': key }
      : access < 0.95
        ? { authorization: `Bearer ${key}` }
        : access < 0.97
          ? { authorization: plain(pick(random, hostileTexts)) }
          : {}),
    ...(random() < 0.06 && {
      'idempotency-key': pick(random, ['one', 'two', '"three"', 'four five', 'x'.repeat(300), '']),
    }),
    ...(random() < 0.05 && { 'x-request-id': plain(pick(random, hostileTexts)) }),
    ...(random() < 0.1 && {
      accept: pick(random, ['text/html', 'text/markdown', '*/*;q=0', 'a', plain(pick(random, hostileTexts))]),
    }),
    ...(random() < 0.02 && { 'content-encoding': 'gzip' }),
    ...(random() < 0.02 && { 'if-none-match': pick(random, ['*', 'W/"a"', '"']) }),
    ...(random() < 0.02 && { 'x-forwarded-for': plain(pick(random, hostileTexts)) }),
  };
}
