import type { Context } from 'hono';
import { RateLimitedError } from '../../platform/errors/serviceError.ts';
import type { RateLimiter, Rates } from '../limiting/rateLimiter.ts';
import type { RequestKind } from '../limiting/takeTokens.ts';
import type { AppEnv } from './appEnv.ts';

/** HEAD arrives as GET. */
const readingMethods = new Set(['GET', 'HEAD']);

/**
 * Counts the request against the limits of its principal, or of another `name`, and reports the rest in the answer's
 * headers: `RateLimit-Policy` with the quota and the seconds in which it refills, `RateLimit` with the remaining quota
 * and the seconds until it is full again.
 *
 * @throws RateLimitedError if nothing is left.
 */
export async function limitRate(
  context: Context<AppEnv>,
  {
    rateLimiter,
    rates,
    name,
    kind = kindOf(context),
  }: { rateLimiter: RateLimiter; rates: Rates; name: string; kind?: RequestKind },
): Promise<void> {
  const { burst, perSecond } = rates[kind];
  const admission = await rateLimiter.admit(name, kind);
  const { isAdmitted, remaining, resetSeconds, retryAfterSeconds } = admission;
  // Set on the server's response: on Hono's it would cost every request several microseconds more.
  const outgoing = context.env?.outgoing;
  // A streamed answer has sent its head before all of its work is counted.
  if (outgoing && !outgoing.headersSent) {
    outgoing.setHeader('ratelimit-policy', `"${kind}";q=${burst};w=${Math.ceil(burst / perSecond)}`);
    outgoing.setHeader('ratelimit', `"${kind}";r=${remaining};t=${resetSeconds}`);
  }
  if (!isAdmitted) throw new RateLimitedError(`Too many ${kind} requests.`, { retryAfterSeconds });
}

/**
 * Counts the request against a limit that several guests share. Sets no headers, so that nobody learns about other
 * guests.
 *
 * @throws RateLimitedError if the limit is used up.
 */
export async function limitTogether(
  context: Context<AppEnv>,
  { rateLimiter, name }: { rateLimiter: RateLimiter; name: string },
): Promise<void> {
  const kind = kindOf(context);
  const { isAdmitted, retryAfterSeconds } = await rateLimiter.admit(name, kind);
  if (!isAdmitted) throw new RateLimitedError(`Too many ${kind} requests.`, { retryAfterSeconds });
}

function kindOf({ req }: Context<AppEnv>): RequestKind {
  return readingMethods.has(req.method) ? 'read' : 'write';
}
