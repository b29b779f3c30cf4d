import { timingSafeEqual } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database/database.ts';
import { apiKeys, entitlements } from '../../platform/database/tables/access.ts';
import { sessions } from '../../platform/database/tables/browserSessions.ts';
import { AccessError } from '../../platform/errors/serviceError.ts';
import type { Environment } from '../../protocol/chains.ts';
import { findKeyEnvironment, hashApiKey } from '../../records/principals/apiKey.ts';
import { findModes, type Modes, type Scope } from '../../records/principals/scopes.ts';
import { type Capabilities, readCapabilities, requireWhole } from '../../records/sessions/capabilities.ts';
import { hashSecret, isSecret } from '../../records/sessions/secretText.ts';
import { isInForce } from '../../records/sessions/sessionRow.ts';
import type { Cookies } from './cookies.ts';
import { createKeyUse, createSessionUse } from './credentialUse.ts';
import type { FailedAttempts } from './failedAttempts.ts';
import { findCredential } from './findCredential.ts';
import { requireOwnPage } from './ownPage.ts';
import { createRememberedLookup } from './rememberedLookup.ts';

/** A caller with a valid key, or with a session opened by such a key. */
export type Caller = {
  readonly principalId: string;
  /** The key, or the one that opened the session. */
  readonly keyId: string;
  /** The mode for each scope; a missing mode forbids it. */
  readonly modes: Modes;
  /** Undefined for a key. */
  readonly session?: CallerSession | undefined;
};

export type CallerSession = { readonly id: string; readonly capabilities: Capabilities };

export type Authenticator = {
  /**
   * @param findClient returns the client's address, if known; not called for credentials that are in use.
   * @throws AccessError `unauthorized` for anything but an active key of this environment, or a session in force of one;
   * `forbidden` for a session that is not used by a page of the service.
   * @throws RateLimitedError if the credential is new here and its client has sent too many unknown credentials.
   */
  authenticate(headers: Headers, findClient?: () => string | undefined): Promise<Caller>;
  /**
   * Checks the caller of a request that was authorised before; does not count as a use of key or session.
   *
   * @throws AccessError as `authenticate` does.
   */
  check(headers: Headers): Promise<Caller>;
  /** Drops the cached credentials, because some have changed. */
  forget(): void;
  /** Stores the pending times of last use. */
  close(): Promise<void>;
};

/** Recognises API keys and sessions by their hashes, from the database and for half a second from memory. */
export function createAuthenticator(options: {
  database: Database;
  environment: Environment;
  publicBaseUrl: string;
  cookies: Cookies;
  sessionIdleSeconds: number;
  failedAttempts: FailedAttempts;
  logger: Logger;
}): Authenticator {
  const { database, environment, publicBaseUrl, cookies, sessionIdleSeconds, failedAttempts, logger } =
    options;
  const keys = createRememberedLookup(prepareKeyLookup(database));
  const browsers = createRememberedLookup(prepareSessionLookup(database));
  const keyUse = createKeyUse({ database, logger });
  const sessionUse = createSessionUse({ database, idleSeconds: sessionIdleSeconds, logger });

  const authenticateKey = async (credential: string, findClient?: () => string | undefined) => {
    const keyEnvironment = findKeyEnvironment(credential);
    if (keyEnvironment === undefined) throw new AccessError('unauthorized', 'The API key is invalid.');
    if (keyEnvironment !== environment)
      throw new AccessError('unauthorized', 'The API key belongs to the other environment.');
    const key = await findCredential(keys, {
      credential: hashApiKey(credential),
      findClient,
      failedAttempts,
    });
    if (!key) throw new AccessError('unauthorized', 'The API key is invalid.');
    if (key.status !== 'active') throw new AccessError('unauthorized', `The API key is ${key.status}.`);
    return key;
  };

  const authenticateSession = async (token: string, findClient?: () => string | undefined) => {
    const session = isSecret('session', token)
      ? await findCredential(browsers, { credential: hashSecret(token), findClient, failedAttempts })
      : undefined;
    if (!session) throw new AccessError('unauthorized', 'The session has ended.');
    return session;
  };

  const recognise = (headers: Headers, findClient?: () => string | undefined): Promise<Caller> => {
    const credential = readCredential(headers);
    if (credential !== undefined) return authenticateKey(credential, findClient);
    const token = cookies.read(headers, 'session');
    if (token === undefined) throw new AccessError('unauthorized', 'Missing API key.');
    requireOwnPage(headers, publicBaseUrl);
    return authenticateSession(token, findClient);
  };

  return {
    async authenticate(headers, findClient) {
      const caller = await recognise(headers, findClient);
      if (caller.session) sessionUse.note(caller.session.id);
      else keyUse.note(caller.keyId);
      return caller;
    },
    async check(headers) {
      return recognise(headers);
    },
    forget() {
      keys.forget();
      browsers.forget();
    },
    async close() {
      await keyUse.close();
      await sessionUse.close();
    },
  };
}

/** What an operation needs of its caller. */
export type Access = {
  /** The required scope; null if a valid key is enough. */
  readonly scope: Scope | null;
  /** Whether it concerns the whole principal, so that narrowed sessions are refused. */
  readonly needsWhole?: boolean;
};

/**
 * Requires that the caller's principal has the scope, and that its session covers it.
 *
 * @throws AccessError `payment_required` or `forbidden` for any other.
 */
export function authorize(
  { modes, session }: Pick<Caller, 'modes' | 'session'>,
  { scope, needsWhole = false }: Access,
): void {
  if (needsWhole) requireWhole(session?.capabilities);
  if (scope === null) return;
  if (session && session.capabilities !== null && !session.capabilities.includes(scope))
    throw new AccessError('forbidden', `The session does not include the scope ${scope}.`);
  const mode = modes[scope];
  if (mode === 'free_allowlist') return;
  if (mode === 'paid_required')
    throw new AccessError('payment_required', `The scope ${scope} requires a paid plan.`);
  throw new AccessError(
    'forbidden',
    mode === 'blocked'
      ? `The scope ${scope} is blocked for this principal.`
      : `The principal has no entitlement to ${scope}.`,
  );
}

/** Whether a request is made with an API key, valid or not, and so not by cookie. */
export function hasApiKey(headers: Headers): boolean {
  return Boolean(headers.get('x-api-key')?.trim() || headers.get('authorization')?.trim());
}

/** The key from `X-API-Key`, or else from `Authorization: Bearer`, which other services use for tokens; undefined without either. */
function readCredential(headers: Headers): string | undefined {
  const key = headers.get('x-api-key')?.trim();
  if (key) return key;
  const authorization = headers.get('authorization')?.trim();
  if (!authorization) return undefined;
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw new AccessError('unauthorized', 'The Authorization header must be Bearer and an API key.');
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token))
    throw new AccessError('unauthorized', 'OAuth and JWT tokens are not supported: use an API key.');
  return token;
}

type FoundKey = Caller & { readonly status: 'active' | 'disabled' | 'revoked' };

function prepareKeyLookup(database: Database): (keyHash: string) => Promise<FoundKey | undefined> {
  const query = database
    .select({
      keyId: apiKeys.id,
      keyHash: apiKeys.keyHash,
      principalId: apiKeys.principalId,
      status: apiKeys.status,
      scope: entitlements.scope,
      mode: entitlements.mode,
    })
    .from(apiKeys)
    .leftJoin(entitlements, eq(entitlements.principalId, apiKeys.principalId))
    .where(eq(apiKeys.keyHash, sql.placeholder('keyHash')))
    .prepare('find_api_key');
  return async (keyHash) => {
    const rows = await query.execute({ keyHash });
    const [first] = rows;
    if (!first || !isSameHash(first.keyHash, keyHash)) return undefined;
    const { keyId, principalId, status } = first;
    const given = rows.flatMap(({ scope, mode }) => (scope && mode ? [{ scope, mode }] : []));
    return { keyId, principalId, status, modes: findModes(given) };
  };
}

type FoundSession = Caller & { readonly session: CallerSession };

/** Finds only active sessions, with their principal's current entitlements. */
function prepareSessionLookup(database: Database): (tokenHash: string) => Promise<FoundSession | undefined> {
  const query = database
    .select({
      id: sessions.id,
      tokenHash: sessions.tokenHash,
      capabilities: sessions.capabilities,
      keyId: sessions.keyId,
      principalId: sessions.principalId,
      scope: entitlements.scope,
      mode: entitlements.mode,
    })
    .from(sessions)
    .innerJoin(apiKeys, eq(apiKeys.id, sessions.keyId))
    .leftJoin(entitlements, eq(entitlements.principalId, sessions.principalId))
    .where(and(eq(sessions.tokenHash, sql.placeholder('tokenHash')), isInForce))
    .prepare('find_session');
  return async (tokenHash) => {
    const rows = await query.execute({ tokenHash });
    const [first] = rows;
    if (!first || !isSameHash(first.tokenHash, tokenHash)) return undefined;
    const { id, keyId, principalId } = first;
    const given = rows.flatMap(({ scope, mode }) => (scope && mode ? [{ scope, mode }] : []));
    const capabilities = readCapabilities(first.capabilities);
    return { keyId, principalId, modes: findModes(given), session: { id, capabilities } };
  };
}

function isSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
