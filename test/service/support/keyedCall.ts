import { type Answer, type CallOptions, createCall } from './call.ts';
import { buildLease } from './documents.ts';
import type { TestPrincipal, TestService } from './testService.ts';

type KeyedOptions = CallOptions & { path?: string; baseUrl?: string; by?: TestPrincipal };
/** Posts a document for validation by default. */
export type KeyedCall = (key: string, options?: KeyedOptions) => Promise<Answer>;

export const templatePath = '/v0/agreements/validate-template';
const token = `0x${'70'.repeat(20)}`;
export const template = { body: buildLease(token) };

/** Posts to the service with an Idempotency-Key. */
export function createKeyedCall({ baseUrl }: TestService, principal: TestPrincipal): KeyedCall {
  return (key, { path = templatePath, by = principal, headers = {}, ...options } = {}) => {
    const { baseUrl: url = baseUrl, ...sent } = options;
    const content = sent.body === undefined && sent.text === undefined ? template : sent;
    return createCall(url, by.key)('POST', path, {
      ...content,
      headers: { 'idempotency-key': key, ...headers },
    });
  };
}

/** Whether the answer repeats an earlier request's answer. */
export function isReplayed({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

export async function countKeys({ handle }: TestService, key: string): Promise<number> {
  const find = 'select 1 from service.idempotency_keys where key = $1';
  return (await handle.pool.query(find, [key])).rows.length;
}
