import type { Context } from 'hono';
import type { Logger } from 'pino';
import type { Limits } from '../../platform/config/limits.ts';
import type { Derive } from '../../platform/encryption/derive.ts';
import { RateLimitedError, RefusedError } from '../../platform/errors/serviceError.ts';
import { describeError, errorResponse } from '../../platform/http/errorResponse.ts';
import { IdempotencyConflictError } from '../../platform/http/requestErrors.ts';
import { findText } from '../../platform/http/responseText.ts';
import type { QuotaKeeper } from '../../records/quotas/quotaKeeper.ts';
import { fingerprintRequest, readIdempotencyKey } from '../idempotency/idempotencyKey.ts';
import type { IdempotencyStore, StoredAnswer } from '../idempotency/idempotencyStore.ts';
import type { PageTurns } from '../limiting/pageTurns.ts';
import type { AppEnv } from './appEnv.ts';
import { readBodyBytes } from './jsonBody.ts';

type Once<Prepared> = {
  idempotency: IdempotencyStore;
  pageTurns: PageTurns;
  quotas: QuotaKeeper;
  limits: Limits;
  logger: Logger;
  principalId: string;
  /** Throws if the caller has lost its access while the body arrived. */
  requireAccess(): Promise<void>;
  /** Reads what the request needs, and changes nothing. */
  prepare(body: Uint8Array): Promise<Prepared>;
  /** Whether that begins while the key is looked up, although the request may not run then. */
  isPreparedAhead(body: Uint8Array): boolean;
};

/** Returns the prepared request. Only once: a request may wait for long, and nobody else holds its body then. */
type TakePrepared<Prepared> = () => Promise<Prepared>;

/**
 * In addition to server errors: the request itself was refused, so that nothing was stored and its corrected form is to run, or
 * the result may differ a moment later.
 */
const passingStatuses = new Set([400, 413, 415, 401, 402, 403, 429]);

/**
 * Answers a request under an Idempotency-Key. The first request is carried out; later ones get its answer,
 * even a conflict. Server errors, refusals of the request itself or because of a quota, and those of a credential that has
 * ended during the request are not kept, so that the request can be sent again, also corrected; after a server error, which
 * may come after the effect, only the same one. Without a key a request is just carried out.
 *
 * @throws IdempotencyConflictError if the key belongs to another request, or to one that is still at work.
 * @throws RateLimitedError if the principal's answers that are kept have too many bytes.
 * @throws MalformedError for a malformed key, PayloadTooLargeError, and whatever `run` throws.
 */
export async function answerOnce<Prepared>(
  context: Context<AppEnv>,
  once: Once<Prepared>,
  run: (takePrepared?: TakePrepared<Prepared>, derive?: Derive) => Promise<Response>,
): Promise<Response> {
  const { idempotency, pageTurns, quotas, limits, logger, principalId, requireAccess } = once;
  const { req } = context;
  const key = readIdempotencyKey(req.raw.headers);
  if (key === undefined) return run();
  const { fingerprint, takePrepared } = await readKeyed(context, limits, once);
  // An answer that is kept may hold a secret.
  await requireAccess();
  const beginning = await idempotency.begin({ principalId, key, fingerprint }, (read) =>
    pageTurns.run(principalId, read),
  );
  const requestId = context.get('requestId');
  if (beginning.kind === 'answered') {
    const isOwnId = req.raw.headers.get('x-request-id') === requestId;
    return replay(beginning.answer, isOwnId ? requestId : undefined);
  }
  if (beginning.kind !== 'begun') throw new IdempotencyConflictError(beginning.kind);
  const { attempt } = beginning;
  const keep = async (response: Response) => {
    const answer = await readAnswer(response);
    // The effect exists: the caller gets the answer even if it cannot be stored.
    const isKept = answer.status < 500 && !passingStatuses.has(answer.status);
    if (isKept) quotas.note(principalId, { answerBytes: Buffer.byteLength(answer.text) });
    const free = () => (answer.status < 500 ? attempt.release() : attempt.reopen());
    await (isKept ? attempt.complete(answer) : free()).catch((error: unknown) =>
      logger.warn({ requestId, err: error }, 'failed to store the response for an idempotency key'),
    );
    return answer;
  };
  try {
    await requireRoom(quotas, principalId);
    const response = await run(takePrepared, attempt.derive);
    const { text, ...init } = await keep(response);
    return findText(response) === undefined ? new Response(text, init) : response;
  } catch (error) {
    await keep(errorResponse(describeError(error), requestId));
    throw error;
  }
}

async function readKeyed<Prepared>(
  { req }: Context<AppEnv>,
  { bodyBytes }: Limits,
  { prepare, isPreparedAhead }: Pick<Once<Prepared>, 'prepare' | 'isPreparedAhead'>,
) {
  const body = await readBodyBytes(req.raw, bodyBytes);
  const fingerprint = fingerprintRequest({ method: req.method, target: targetOf(req.url), body });
  return { fingerprint, takePrepared: beginPreparing(body, { prepare, isPreparedAhead }) };
}

function beginPreparing<Prepared>(
  body: Uint8Array,
  { prepare, isPreparedAhead }: Pick<Once<Prepared>, 'prepare' | 'isPreparedAhead'>,
): TakePrepared<Prepared> {
  let held: Uint8Array | Promise<Prepared> | undefined = isPreparedAhead(body) ? prepare(body) : body;
  // A failure counts only for a request that runs.
  if (held instanceof Promise) held.catch(() => {});
  return async () => {
    const taken = held;
    held = undefined;
    if (taken === undefined) throw new Error('the request was taken before');
    return taken instanceof Promise ? taken : prepare(taken);
  };
}

const fullRetrySeconds = 60;

/** @throws RateLimitedError if no further answer of the principal is kept today: every route knows that refusal. */
async function requireRoom(quotas: QuotaKeeper, principalId: string): Promise<void> {
  try {
    await quotas.check(principalId, 'keptAnswer');
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw new RateLimitedError('The quota for stored Idempotency-Key responses is used up.', {
      retryAfterSeconds: fullRetrySeconds,
    });
  }
}

/** Path and query: the host may differ, the request is still the same. */
function targetOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

async function readAnswer(response: Response): Promise<StoredAnswer> {
  const { status, headers } = response;
  return {
    status,
    headers: Object.fromEntries(headers),
    text: findText(response) ?? (await response.text()),
  };
}

/**
 * Header and body name the same request: the first one, or this one if its caller set an id. Characters of
 * request ids need no escaping in JSON.
 */
function replay({ status, headers, text }: StoredAnswer, ownId: string | undefined): Response {
  const firstId = headers['x-request-id'] ?? '';
  const id = ownId ?? firstId;
  const nameOf = (requestId: string) => `"requestId":"${requestId}"`;
  const at = text.lastIndexOf(nameOf(firstId));
  const rest = text.slice(at + nameOf(firstId).length);
  const body = at === -1 ? text : `${text.slice(0, at)}${nameOf(id)}${rest}`;
  return new Response(body, {
    status,
    headers: {
      ...headers,
      // An id of another length changes it.
      ...('content-length' in headers && { 'content-length': String(Buffer.byteLength(body)) }),
      'x-request-id': id,
      'idempotency-replayed': 'true',
    },
  });
}
