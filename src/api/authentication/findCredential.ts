import type { FailedAttempts } from './failedAttempts.ts';

/** Looks up credentials of one kind by a text of each, such as its hash. */
export type CredentialLookup<Found> = {
  find(credential: string): Promise<Found | undefined>;
  /** Whether it was found before, even a while ago. */
  knows(credential: string): boolean;
};

/**
 * Looks up a credential. Clients that send many unknown ones are slowed down; known credentials are not, whoever else
 * is at their address.
 *
 * @param findClient returns the client's address, if known; not called for credentials that are in use.
 * @throws RateLimitedError if the credential is new here and its client has sent too many unknown credentials.
 */
export async function findCredential<Found>(
  lookup: CredentialLookup<Found>,
  {
    credential,
    findClient,
    failedAttempts,
  }: {
    credential: string;
    findClient: (() => string | undefined) | undefined;
    failedAttempts: FailedAttempts;
  },
): Promise<Found | undefined> {
  const newClient = lookup.knows(credential) ? undefined : findClient?.();
  if (newClient !== undefined) failedAttempts.require(newClient);
  const found = await lookup.find(credential);
  if (found) return found;
  const client = findClient?.();
  if (client !== undefined) failedAttempts.note(client);
  return undefined;
}
