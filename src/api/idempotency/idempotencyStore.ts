import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { inGroups } from '../../platform/database/inGroups.ts';
import type { RowOf } from '../../platform/database/rowOf.ts';
import { runPrepared } from '../../platform/database/runPrepared.ts';
import type { idempotencyKeys } from '../../platform/database/tables/idempotencyKeys.ts';
import type { Cipher } from '../../platform/encryption/cipher.ts';
import type { Derive } from '../../platform/encryption/derive.ts';
import { noteReadBytes } from '../../platform/http/readCost.ts';
import { IdempotencyConflictError } from '../../platform/http/requestErrors.ts';
import { createLeaseKeeper, type Identity } from './keyLeaseKeeper.ts';

/** One request under a key; the fingerprint distinguishes it from other requests under the same key. */
export type KeyedRequest = {
  readonly principalId: string;
  readonly key: string;
  readonly fingerprint: string;
};

const answerShape = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  text: z.string(),
});
/** An answer as first given. */
export type StoredAnswer = z.output<typeof answerShape>;

/** The right to carry out a request. Its holder must end it with one of these calls. */
export type Attempt = {
  /** From now on the key returns this answer. */
  complete(answer: StoredAnswer): Promise<void>;
  /** Frees the key as if it had never been used; after an earlier attempt, which may have taken effect, only reopens it. */
  release(): Promise<void>;
  /** Lets the same request begin again, which may have taken effect, and no other one under this key. */
  reopen(): Promise<void>;
  /** The same bytes for each attempt of the request. */
  readonly derive: Derive;
};

export type Beginning =
  | { readonly kind: 'begun'; readonly attempt: Attempt }
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  | { readonly kind: 'inFlight' }
  | { readonly kind: 'usedOtherwise' };

type ReadAnswer = () => Promise<StoredAnswer>;

export type IdempotencyStore = {
  /**
   * Begins a request under a key, unless any process began one in the last 24 hours.
   *
   * @param inTurn runs the read of a large answer.
   */
  begin(request: KeyedRequest, inTurn: (read: ReadAnswer) => Promise<StoredAnswer>): Promise<Beginning>;
  close(): void;
};

const leaseSeconds = 10;
/**
 * If a key's row disappears during the look-up, the request starts again; this many times in a row is no
 * coincidence.
 */
const maxTries = 3;

/**
 * Its commit waits for neither disk nor standby: the request's effects are written after it, so if they
 * survive, it survives too.
 */
const beginStatement = `
  with unhurried as materialized (select set_config('synchronous_commit', 'off', true))
  insert into service.idempotency_keys as used
    (principal_id, key, fingerprint, attempt_id, lease_until, expires_at)
  select principal_id, key, fingerprint, attempt_id, now() + interval '${leaseSeconds} seconds', now() + interval '24 hours'
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as begun(principal_id, key, fingerprint, attempt_id), unhurried
  order by principal_id, key
  on conflict (principal_id, key) do update set fingerprint = excluded.fingerprint,
    attempt_id = excluded.attempt_id, lease_until = excluded.lease_until, answer = null,
    expires_at = case when used.expires_at <= now() then excluded.expires_at else used.expires_at end
  where used.expires_at <= now()
    or (used.lease_until <= now() and used.fingerprint = excluded.fingerprint)
  returning attempt_id, extract(epoch from expires_at)::text as until,
    expires_at < (now() + interval '24 hours')::timestamptz(3) as is_again`;
/** Bytes of an answer that is read in a turn. */
const largeBytes = 65_536;
const findStatement = `
  select fingerprint, coalesce(octet_length(answer), 0) as bytes,
    case when octet_length(answer) <= ${largeBytes} then answer end as answer
  from service.idempotency_keys where principal_id = $1 and key = $2`;
const findLargeStatement = `
  select answer from service.idempotency_keys where principal_id = $1 and key = $2 and fingerprint = $3`;
const completeStatement = `
  update service.idempotency_keys as used set answer = completed.answer, lease_until = null
  from unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) as completed(principal_id, key, attempt_id, answer)
  where used.principal_id = completed.principal_id and used.key = completed.key and used.attempt_id = completed.attempt_id`;
const reopenStatement = `
  update service.idempotency_keys set lease_until = now()
  where principal_id = $1 and key = $2 and attempt_id = $3 and lease_until is not null`;
const releaseStatement =
  'delete from service.idempotency_keys where principal_id = $1 and key = $2 and attempt_id = $3';

type FoundKey = RowOf<typeof idempotencyKeys, 'fingerprint' | 'answer'> & { bytes: number };

/** The time until which the key is its request's own, and whether the same request has begun under it before. */
type Begun = { until: string; is_again: boolean };

/** Only the first of several concurrent requests under one key may begin. */
const beginOne = inGroups<KeyedRequest & { attemptId: string }, Begun | undefined>(async (pool, requests) => {
  const firsts = new Map(requests.toReversed().map((request) => [contextOf(request), request]));
  const asked = [...firsts.values()];
  const begun = await runPrepared<RowOf<typeof idempotencyKeys, 'attempt_id'> & Begun>(pool, beginStatement, [
    asked.map(({ principalId }) => principalId),
    asked.map(({ key }) => key),
    asked.map(({ fingerprint }) => fingerprint),
    asked.map(({ attemptId }) => attemptId),
  ]);
  const byAttempt = new Map(begun.map(({ attempt_id, ...row }) => [attempt_id, row]));
  return requests.map(({ attemptId }) => byAttempt.get(attemptId));
});

const completeOne = inGroups<{ identity: Identity; encrypted: Uint8Array }, undefined>(
  async (pool, completed) => {
    await runPrepared(pool, completeStatement, [
      completed.map(({ identity: [principalId] }) => principalId),
      completed.map(({ identity: [, key] }) => key),
      completed.map(({ identity: [, , attemptId] }) => attemptId),
      completed.map(({ encrypted }) => encrypted),
    ]);
    return completed.map(() => undefined);
  },
);

/**
 * Stores answers under Idempotency-Keys for 24 hours, for all API processes together. While a request is in
 * progress its process renews a lease; if the process dies, the same request may begin again ten seconds
 * later.
 */
export function createIdempotencyStore(options: {
  pool: pg.Pool;
  cipher: Cipher;
  logger: Logger;
}): IdempotencyStore {
  const { pool, cipher } = options;
  const leases = createLeaseKeeper({ ...options, leaseSeconds });

  const createAttempt = (
    { principalId, key, fingerprint }: KeyedRequest,
    { attemptId, until, is_again: isAgain }: Begun & { attemptId: string },
  ): Attempt => {
    const identity = [principalId, key, attemptId] as const;
    leases.keep(identity);
    return {
      async complete(answer) {
        leases.drop(identity);
        const encrypted = cipher.encrypt(JSON.stringify(answer), contextOf({ principalId, key }));
        await completeOne(pool, { identity, encrypted });
      },
      async release() {
        leases.drop(identity);
        await runPrepared(pool, isAgain ? reopenStatement : releaseStatement, identity);
      },
      async reopen() {
        leases.drop(identity);
        await runPrepared(pool, reopenStatement, identity);
      },
      derive: (purpose) =>
        cipher.derive(`${contextOf({ principalId, key })} ${fingerprint} ${until} ${purpose}`),
    };
  };

  const open = (answer: Uint8Array, { principalId, key }: KeyedRequest) =>
    answerShape.parse(JSON.parse(cipher.decrypt(answer, contextOf({ principalId, key }))));
  const readLarge = async (request: KeyedRequest, bytes: number) => {
    const { principalId, key, fingerprint } = request;
    const values = [principalId, key, fingerprint];
    const [found] = await runPrepared<RowOf<typeof idempotencyKeys, 'answer'>>(
      pool,
      findLargeStatement,
      values,
    );
    // The key has just expired, and another request has begun under it.
    if (!found?.answer) throw new IdempotencyConflictError('inFlight');
    return noteReadBytes(open(found.answer, request), bytes);
  };

  return {
    async begin(request, inTurn) {
      const { principalId, key, fingerprint } = request;
      for (let tries = 0; tries < maxTries; tries++) {
        const attemptId = randomUUID();
        const begun = await beginOne(pool, { ...request, attemptId });
        if (begun) return { kind: 'begun', attempt: createAttempt(request, { ...begun, attemptId }) };
        const [found] = await runPrepared<FoundKey>(pool, findStatement, [principalId, key]);
        if (!found) continue;
        if (found.fingerprint !== fingerprint) return { kind: 'usedOtherwise' };
        const { answer, bytes } = found;
        if (bytes === 0) return { kind: 'inFlight' };
        const opened = answer ? open(answer, request) : await inTurn(() => readLarge(request, bytes));
        return { kind: 'answered', answer: opened };
      }
      return { kind: 'inFlight' };
    },
    close: leases.close,
  };
}

function contextOf({ principalId, key }: Pick<KeyedRequest, 'principalId' | 'key'>): string {
  return `idempotency ${principalId} ${key}`;
}
