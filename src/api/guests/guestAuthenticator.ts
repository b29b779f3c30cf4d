import type pg from 'pg';
import { type Address, getAddress } from 'viem';
import { AccessError, NotFoundError } from '../../platform/errors/serviceError.ts';
import type { Modes, Scope } from '../../records/principals/scopes.ts';
import { isSecret } from '../../records/sessions/secretText.ts';
import { heldAddress, readHeldAddresses } from '../agreements/heldAddress.ts';
import { authorize } from '../authentication/authenticator.ts';
import type { FailedAttempts } from '../authentication/failedAttempts.ts';
import { findCredential } from '../authentication/findCredential.ts';
import { createFreshLookup } from '../authentication/freshLookup.ts';
import type { PageTurns } from '../limiting/pageTurns.ts';
import { findGuestByLink, findGuestByWallet } from './findGuests.ts';
import type { Guest } from './guest.ts';
import type { WalletAuthenticator } from './walletAuthenticator.ts';

/** The header with a signing link's secret: never in a URL, which would be logged on the way. */
export const linkHeader = 'x-agreements-link';

type CountGuest = (guest: {
  readonly name: string;
  readonly principalId?: string | undefined;
}) => Promise<void>;

export type GuestAuthenticator = {
  /**
   * Authenticates guests with an active link, or with a logged-in wallet of the record. A guest may do what
   * the link or wallet allows, and never more than the principal itself.
   *
   * @param request.agreementId which record a wallet asks for; beside a link, only the link's own.
   * @param request.count counts the request of a known link or wallet, also if it is refused then; without a principal if the
   * record is not open to the wallet.
   * @throws NotFoundError for a record that is not open to the wallet or link, whether it exists or not.
   * @throws AccessError `unauthorized` for anything else. The message does not say why.
   * @throws AccessError `forbidden` if the link, or the principal, does not allow it.
   * @throws RateLimitedError if the credential is new here and its client has sent too many unknown ones.
   */
  admit(request: {
    readonly headers: Headers;
    readonly client: string | undefined;
    readonly need: 'read' | 'sign';
    readonly agreementId?: string | undefined;
    readonly count?: CountGuest;
  }): Promise<Guest>;
};

export function createGuestAuthenticator({
  pool,
  failedAttempts,
  wallets,
}: {
  pool: pg.Pool;
  failedAttempts: FailedAttempts;
  wallets: WalletAuthenticator;
}): GuestAuthenticator {
  const links = createFreshLookup(async (secret) =>
    isSecret('signing', secret) ? findGuestByLink(pool, secret) : undefined,
  );
  const findByLink = async (headers: Headers, client: string | undefined) => {
    const credential = headers.get(linkHeader)?.trim();
    if (credential === undefined)
      throw new AccessError(
        'unauthorized',
        'Missing signing link. Send it as X-Agreements-Link, or name the agreementId for a wallet session.',
      );
    const found = await findCredential(links, { credential, findClient: () => client, failedAttempts });
    if (found) return found;
    throw new AccessError('unauthorized', 'The link is invalid, revoked or expired.');
  };
  const findByWallet = async (
    headers: Headers,
    {
      client,
      agreementId,
      count,
    }: { client: string | undefined; agreementId: string; count: CountGuest | undefined },
  ) => {
    const { wallet } = await wallets.authenticate(headers, client);
    const found = await findGuestByWallet(pool, { wallet, recordId: agreementId });
    if (found) return found;
    await count?.({ name: wallet });
    throw refuseRecord();
  };
  return {
    async admit({ headers, client, need, agreementId, count }) {
      const isLink = headers.has(linkHeader) || agreementId === undefined;
      const { guest, modes } = isLink
        ? await findByLink(headers, client)
        : await findByWallet(headers, { client, agreementId, count });
      await count?.(guest);
      if (agreementId !== undefined && agreementId !== guest.recordId) throw refuseRecord();
      requireOwner(modes, 'agreements.read');
      if (need === 'sign') {
        if (guest.may !== 'sign')
          throw new AccessError(
            'forbidden',
            isLink ? 'The link allows reading only.' : 'The agreement allows participants to read only.',
          );
        requireOwner(modes, 'agreements.write');
      }
      return guest;
    },
  };
}

/** Why the principal itself may not do it is none of a guest's business. */
function requireOwner(modes: Modes, scope: Scope): void {
  try {
    authorize({ modes }, { scope });
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    throw new AccessError('forbidden', 'The principal of the agreement does not allow it now.');
  }
}

function refuseRecord(): NotFoundError {
  return new NotFoundError('The agreement does not exist.');
}

/** The turn of a principal's guests: separate from its own turn and from other principals' guests. */
export function turnOfGuests(principalId: string): string {
  return `guests of ${principalId}`;
}

/** Reads what may be large in that turn. */
export function inTurnOfGuests(principalId: string, inPageTurn: PageTurns['run']) {
  return <Page extends object>(read: () => Promise<Page> | Page) =>
    inPageTurn(turnOfGuests(principalId), read);
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

/**
 * The same for a guest whose request is counted already: for a participant's link, its wallet is read here.
 *
 * @throws AccessError `forbidden` for any other wallet.
 */
export async function requireSigner(
  { recordId, principalId, participant, wallet }: Guest,
  { pool, signer, inPageTurn }: { pool: pg.Pool; signer: Address; inPageTurn: PageTurns['run'] },
): Promise<void> {
  if (participant === undefined) return requireWallet({ wallet }, signer);
  const variables = [participant];
  const held = await inPageTurn(turnOfGuests(principalId), () =>
    readHeldAddresses(pool, { recordId, variables }),
  );
  requireWallet({ wallet: heldAddress(held, participant) }, signer);
}
