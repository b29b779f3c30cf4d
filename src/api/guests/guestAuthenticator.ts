import { and, eq, sql } from 'drizzle-orm';
import { type Address, getAddress } from 'viem';
import type { Database } from '../../platform/database/database.ts';
import { entitlements } from '../../platform/database/tables/access.ts';
import { records } from '../../platform/database/tables/records.ts';
import { signingLinks } from '../../platform/database/tables/signingLinks.ts';
import { recordWallets } from '../../platform/database/tables/wallets.ts';
import { AccessError, NotFoundError } from '../../platform/errors/serviceError.ts';
import { type EntitlementMode, findModes } from '../../records/principals/scopes.ts';
import { hashSecret, isSecret } from '../../records/sessions/secretText.ts';
import { heldAddress } from '../agreements/heldAddress.ts';
import { authorize } from '../authentication/authenticator.ts';
import type { FailedAttempts } from '../authentication/failedAttempts.ts';
import type { WalletAuthenticator } from './walletAuthenticator.ts';

/** The header with a signing link's secret: never in a URL, which would be logged on the way. */
export const linkHeader = 'x-agreements-link';

/** Somebody without a key, and the one record that is open to them. */
export type Guest = {
  /** The name for counting requests: the link, or the wallet. */
  readonly name: string;
  /** Absent for a wallet that has logged in. */
  readonly linkId: string | undefined;
  /** The owner of the record. */
  readonly principalId: string;
  readonly recordId: string;
  readonly may: 'read' | 'sign';
  /** The variable that the guest signs for; absent for the owner, and for a wallet that has logged in. */
  readonly participant: string | undefined;
  /**
   * The only wallet that can sign. Undefined if nobody can, and for a participant's link where nothing is
   * signed: there `readSharedRecord` finds it among the values that it reads.
   */
  readonly wallet: Address | undefined;
};

export type GuestAuthenticator = {
  /**
   * Authenticates guests with an active link, or with a logged-in wallet of the record. A guest may do what
   * the link or wallet allows, and never more than the principal itself.
   *
   * @param request.agreementId which record a wallet asks for; a link names its own.
   * @throws NotFoundError for a record that is not open to the wallet, whether it exists or not.
   * @throws AccessError `unauthorized` for anything else; it is not said what is wrong with it.
   * @throws AccessError `forbidden` if the link, or the principal, is not good for it.
   * @throws RateLimitedError for a client that has sent too many that nobody has.
   */
  admit(request: {
    readonly headers: Headers;
    readonly client: string | undefined;
    readonly need: 'read' | 'sign';
    readonly agreementId?: string | undefined;
  }): Promise<Guest>;
};

export function createGuestAuthenticator({
  database,
  failedAttempts,
  wallets,
}: {
  database: Database;
  failedAttempts: FailedAttempts;
  wallets: WalletAuthenticator;
}): GuestAuthenticator {
  const findByLink = async (headers: Headers, client: string | undefined) => {
    if (client !== undefined) failedAttempts.require(client);
    const secret = headers.get(linkHeader)?.trim() ?? '';
    const found = isSecret('signing', secret) ? await findLink(database, secret) : undefined;
    if (found) return found;
    if (client !== undefined) failedAttempts.note(client);
    throw new AccessError('unauthorized', 'The link is invalid, revoked or expired.');
  };
  const findByWallet = async (headers: Headers, agreementId: string) => {
    const { wallet } = await wallets.authenticate(headers);
    const found = await findOpened(database, { wallet, recordId: agreementId });
    if (found) return found;
    throw new NotFoundError('The agreement does not exist.');
  };
  return {
    async admit({ headers, client, need, agreementId }) {
      const isLink = headers.has(linkHeader) || agreementId === undefined;
      const { guest, modes } = isLink
        ? await findByLink(headers, client)
        : await findByWallet(headers, agreementId);
      authorize({ modes }, 'agreements.read');
      if (need === 'sign') {
        if (guest.may !== 'sign')
          throw new AccessError(
            'forbidden',
            isLink ? 'The link allows reading only.' : 'The agreement allows participants to read only.',
          );
        authorize({ modes }, 'agreements.write');
        if (isLink) return withSigner(database, guest);
      }
      return guest;
    },
  };
}

/** The turn of a principal's guests: separate from its own turn and from other principals' guests. */
export function turnOfGuests(principalId: string): string {
  return `guests of ${principalId}`;
}

/** Finds the turn for a guest's large body. A guest who may not see the record is refused before its body is read. */
export function findTurnOfGuests({ guests }: { guests: GuestAuthenticator }) {
  return async ({
    headers,
    query: { agreementId },
    client,
  }: {
    headers: Headers;
    query: { agreementId?: string | undefined };
    client: string | undefined;
  }): Promise<string> => {
    const { principalId } = await guests.admit({ headers, client, need: 'read', agreementId });
    return turnOfGuests(principalId);
  };
}

/**
 * Lets a guest act as its link's wallet.
 *
 * @throws AccessError `forbidden` for any other wallet.
 */
export function requireWallet({ wallet }: Pick<Guest, 'wallet'>, signer: Address): void {
  if (wallet !== undefined && getAddress(wallet) === getAddress(signer)) return;
  throw new AccessError('forbidden', 'The link is for another wallet.');
}

const recordFacts = {
  principalId: records.principalId,
  recordId: records.id,
  owner: records.owner,
  scope: entitlements.scope,
  mode: entitlements.mode,
};

async function findLink(database: Database, secret: string) {
  const rows = await database
    .select({
      ...recordFacts,
      linkId: signingLinks.id,
      may: signingLinks.may,
      participant: signingLinks.participant,
    })
    .from(signingLinks)
    .innerJoin(records, eq(records.id, signingLinks.recordId))
    .leftJoin(entitlements, eq(entitlements.principalId, signingLinks.principalId))
    .where(
      and(
        eq(signingLinks.secretHash, hashSecret(secret)),
        sql`${signingLinks.endedAt} is null and ${signingLinks.expiresAt} > now()`,
      ),
    );
  const [first] = rows;
  if (!first) return undefined;
  const { linkId, principalId, recordId, may } = first;
  const participant = first.participant ?? undefined;
  const wallet = participant === undefined ? (first.owner ?? undefined) : undefined;
  const guest: Guest = { name: linkId, linkId, principalId, recordId, may, participant, wallet };
  return { guest, modes: modesOf(rows) };
}

/** A record's values may be hundreds of kilobytes: they are read only where a participant is to sign. */
async function withSigner(database: Database, guest: Guest): Promise<Guest> {
  const { recordId, participant } = guest;
  if (participant === undefined) return guest;
  const [row] = await database
    .select({ variables: records.variables })
    .from(records)
    .where(eq(records.id, recordId));
  return { ...guest, wallet: heldAddress(row?.variables ?? {}, participant) };
}

async function findOpened(database: Database, { wallet, recordId }: { wallet: Address; recordId: string }) {
  const rows = await database
    .select({ ...recordFacts, access: records.participantAccess })
    .from(recordWallets)
    .innerJoin(records, eq(records.id, recordWallets.recordId))
    .leftJoin(entitlements, eq(entitlements.principalId, records.principalId))
    .where(and(eq(recordWallets.recordId, recordId), sql`${recordWallets.wallet} = ${wallet.toLowerCase()}`));
  const [first] = rows;
  if (!first || first.access === 'none') return undefined;
  const { principalId, access: may } = first;
  const guest: Guest = {
    name: wallet,
    linkId: undefined,
    principalId,
    recordId,
    may,
    participant: undefined,
    wallet,
  };
  return { guest, modes: modesOf(rows) };
}

function modesOf(rows: readonly { scope: string | null; mode: EntitlementMode | null }[]) {
  return findModes(rows.flatMap(({ scope, mode }) => (scope && mode ? [{ scope, mode }] : [])));
}
