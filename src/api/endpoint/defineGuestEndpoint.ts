import { z } from '@hono/zod-openapi';
import { RefusedError } from '../../platform/errors/serviceError.ts';
import { noteUse } from '../../records/sharing/manageLinks.ts';
import type { Guest } from '../guests/guest.ts';
import { turnOfGuests } from '../guests/guestAuthenticator.ts';
import type { GuestServices } from '../guests/guestServices.ts';
import { quotaReasons } from '../shapes/refusalReasons.ts';
import { defineOpenEndpoint, type Endpoint, none } from './defineEndpoint.ts';
import type { EndpointParts, OpenRequest } from './endpointDefinition.ts';
import { lookAgain } from './lookAgain.ts';

/** A request of an admitted guest. It is already counted against the guest's limits. */
type GuestRequest<Query, Body> = Omit<
  OpenRequest<unknown, Query, Body, Admitted>,
  'params' | 'client' | 'admitted'
> & {
  readonly guest: Guest;
  /** For a handler that waits before it reads: requires that the guest is still admitted. */
  requireAccess(): Promise<void>;
  /** The turn of all guests of the record's principal. */
  readonly turn: string;
  /** Stores a use of the guest's link. Does nothing for a wallet that has logged in. */
  noteUse(use: Omit<Parameters<typeof noteUse>[1], 'linkId'>): Promise<void>;
};

type Admitted = { readonly guest: Guest; requireAccess(): Promise<void> };

type GuestDefinition<Query extends z.ZodObject, Body extends z.ZodType> = Omit<
  EndpointParts<typeof none, Query, Body>,
  'tag' | 'params'
> & {
  /** What the guest must be allowed to do. */
  readonly need: 'read' | 'sign';
  handle(request: GuestRequest<z.output<Query>, z.output<Body>>): Promise<Response>;
};

const recordQuery = z.object({ agreementId: z.string().optional() });

/**
 * Builds an endpoint for guests: with a signing link or with a logged-in wallet. Its query has `agreementId`,
 * as `sharedQuery` has. A guest who may not see the record is refused before its body is read.
 */
export function defineGuestEndpoint<Query extends z.ZodObject, Body extends z.ZodType>(
  { guests, database }: GuestServices,
  { need, handle, ...parts }: GuestDefinition<Query, Body>,
): Endpoint {
  return defineOpenEndpoint({
    ...parts,
    tag: 'Sharing',
    credentials: ['signingLink', 'walletSession'],
    params: none,
    async admit({ headers, query, client, limitGuest }) {
      const asked = { headers, client, need, ...recordQuery.parse(query) };
      const guest = await guests.admit({ ...asked, count: limitGuest });
      const requireAccess = lookAgain(() => guests.admit(asked));
      return { guest, requireAccess };
    },
    requireAccess: ({ requireAccess }) => requireAccess(),
    turnOf: ({ guest: { principalId } }) => turnOfGuests(principalId),
    async handle({ admitted: { guest, requireAccess }, ...request }) {
      const { linkId, principalId } = guest;
      try {
        return await handle({
          ...request,
          guest,
          requireAccess,
          turn: turnOfGuests(principalId),
          async noteUse(use) {
            if (linkId !== undefined) await noteUse(database, { linkId, ...use });
          },
        });
      } catch (error) {
        throw isQuotaRefusal(error) ? withoutUse(error) : error;
      }
    },
  });
}

function isQuotaRefusal(error: unknown): error is RefusedError {
  return error instanceof RefusedError && quotaReasons.some((reason) => reason === error.reason);
}

/** How much the principal uses and may use is none of a guest's business. */
function withoutUse({ reason }: RefusedError): RefusedError {
  const message =
    reason === 'storage_exceeded'
      ? "The storage quota of the agreement's principal is used up."
      : "A quota of the agreement's principal is used up. Try again later.";
  return new RefusedError(reason, message);
}
