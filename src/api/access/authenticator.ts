import { timingSafeEqual } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Environment } from '../../protocol/chains.ts';
import type { Database } from '../database/database.ts';
import { apiKeys, entitlements } from '../database/tables/access.ts';
import { AccessError } from '../errors/serviceError.ts';
import { findKeyEnvironment, hashApiKey } from './apiKey.ts';
import { createFailedAttempts } from './failedAttempts.ts';
import { createKeyUse } from './keyUse.ts';
import { findModes, type Modes, type Scope } from './scopes.ts';

/** Who calls, known by a valid key. */
export type Caller = {
  readonly principalId: string;
  readonly keyId: string;
  /** What governs each scope; none forbids it. */
  readonly modes: Modes;
};

export type Authenticator = {
  /**
   * @param findClient names who sends it, where that is known; not asked about keys that are in use.
   * @throws AccessError `unauthorized` for anything but an active key of this environment.
   * @throws RateLimitedError where the key is new here and its client has sent too many that nobody has.
   */
  authenticate(headers: Headers, findClient?: () => string | undefined): Promise<Caller>;
  /** Forgets what is remembered of keys, as some have changed. */
  forget(): void;
  /** Writes the pending times of last use. */
  close(): Promise<void>;
};

/** A key is looked up again after this time even if no word of a change arrives: what bounds a revocation's delay. */
const rememberedMs = 500;
/** More keys than any installation uses at once; the bound only keeps memory finite. */
const rememberedKeys = 10_000;

type Remembered = { readonly found: Promise<FoundKey | undefined>; until: number };

/** Recognises API keys by their hash, from the database and for half a second from memory. */
export function createAuthenticator(options: {
  database: Database;
  environment: Environment;
  logger: Logger;
}): Authenticator {
  const { environment } = options;
  const findKey = prepareKeyLookup(options.database);
  const keyUse = createKeyUse(options);
  const failedAttempts = createFailedAttempts();
  const remembered = new Map<string, Remembered>();

  const lookUp = (keyHash: string): Promise<FoundKey | undefined> => {
    const known = remembered.get(keyHash);
    if (known && known.until > performance.now()) return known.found;
    const found = findKey(keyHash);
    remembered.delete(keyHash);
    remembered.set(keyHash, { found, until: performance.now() + rememberedMs });
    const [oldest] = remembered.keys();
    if (remembered.size > rememberedKeys && oldest !== undefined) remembered.delete(oldest);
    found.then(
      // Nothing is remembered of unknown keys: whoever guesses must not push out those in use.
      (key) => key ?? remembered.delete(keyHash),
      () => remembered.delete(keyHash),
    );
    return found;
  };

  return {
    async authenticate(headers, findClient) {
      const credential = readCredential(headers);
      const keyEnvironment = findKeyEnvironment(credential);
      if (keyEnvironment === undefined) throw new AccessError('unauthorized', 'The API key is not valid.');
      if (keyEnvironment !== environment)
        throw new AccessError('unauthorized', 'The API key belongs to the other environment.');
      const keyHash = hashApiKey(credential);
      // A key that was in use is looked up again whatever others have sent from the same place.
      const newClient = remembered.has(keyHash) ? undefined : findClient?.();
      if (newClient !== undefined) failedAttempts.require(newClient);
      const key = await lookUp(keyHash);
      if (!key) {
        const client = findClient?.();
        if (client !== undefined) failedAttempts.note(client);
        throw new AccessError('unauthorized', 'The API key is not valid.');
      }
      if (key.status !== 'active') throw new AccessError('unauthorized', `The API key is ${key.status}.`);
      keyUse.note(key.keyId);
      return key;
    },
    forget() {
      for (const known of remembered.values()) known.until = 0;
    },
    close: () => keyUse.close(),
  };
}

/**
 * Lets a caller go on whose principal is entitled to the scope.
 *
 * @throws AccessError `payment_required` or `forbidden` for any other.
 */
export function authorize({ modes }: Caller, scope: Scope): void {
  const mode = modes[scope];
  if (mode === 'free_allowlist') return;
  if (mode === 'paid_required')
    throw new AccessError('payment_required', `Use of ${scope} has to be paid for.`);
  throw new AccessError(
    'forbidden',
    mode === 'blocked' ? `Use of ${scope} is blocked.` : `The principal has no entitlement to ${scope}.`,
  );
}

/** The key from `X-API-Key`, or else from `Authorization: Bearer`, which other services use for tokens. */
function readCredential(headers: Headers): string {
  const key = headers.get('x-api-key')?.trim();
  if (key) return key;
  const authorization = headers.get('authorization')?.trim();
  if (!authorization) throw new AccessError('unauthorized', 'Missing API key.');
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw new AccessError('unauthorized', 'The authorization must be Bearer and an API key.');
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token))
    throw new AccessError('unauthorized', 'Tokens are not supported: an API key is needed.');
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

function isSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
