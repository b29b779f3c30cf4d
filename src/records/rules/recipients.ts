import { type Address, getAddress, isAddress } from 'viem';
import type { VariableValues } from '../../platform/database/tables/records.ts';
import type { Participant } from '../../protocol/participants.ts';
import { allObservers, allParticipants } from './notificationTemplate.ts';

/** A recipient of a rule: reached by mail if there is an address, otherwise as the holder of a wallet. */
export type Recipient = {
  /** The recipient's name and identity in events: the e-mail address in lower case, or else the wallet. */
  readonly name: string;
  readonly email: string | undefined;
};

export type Parties = {
  readonly participants: readonly Participant[];
  readonly observers: readonly string[];
  readonly variables: VariableValues;
};

/** The allowed mail addresses, in lower case: those given for participants and observers. */
export function knownAddresses({
  participants,
  observers,
}: {
  readonly participants: readonly Participant[];
  readonly observers: readonly string[];
}): ReadonlySet<string> {
  const given = [...participants.map(({ email }) => email), ...observers];
  return new Set(given.flatMap((email) => (typeof email === 'string' ? [email.toLowerCase()] : [])));
}

type Candidate = { readonly email: string | undefined; readonly wallet: Address | undefined };

/**
 * The people behind a rule's recipients, each once, in the order of first mention. A variable stands for its
 * current wallet, and for its participant's e-mail address as long as the participant has this wallet.
 * Variables without a person yet are left out.
 */
export function resolveRecipients(recipients: readonly string[], parties: Parties): Recipient[] {
  const candidates = recipients.flatMap((recipient) => resolve(recipient, parties));
  const reachable = new Set(candidates.flatMap(({ email, wallet }) => (email && wallet ? [wallet] : [])));
  const found = new Map<string, Recipient>();
  for (const { email, wallet } of candidates) {
    // Somebody with a mail address needs no second notification as the holder of the same wallet.
    if (!email && wallet && reachable.has(wallet)) continue;
    const name = email?.toLowerCase() ?? wallet;
    if (name !== undefined && !found.has(name)) found.set(name, { name, email });
  }
  return [...found.values()];
}

function resolve(recipient: string, parties: Parties): Candidate[] {
  if (recipient === allObservers) return parties.observers.map((email) => ({ email, wallet: undefined }));
  if (recipient === allParticipants)
    return parties.participants.map(({ variableKey }) => resolveVariable(variableKey, parties));
  if (recipient.includes('@')) return [{ email: recipient, wallet: undefined }];
  return [resolveVariable(recipient, parties)];
}

function resolveVariable(name: string, { participants, variables }: Parties): Candidate {
  const participant = participants.find(({ variableKey }) => variableKey === name);
  const value = Object.hasOwn(variables, name) ? variables[name] : participant?.walletAddress;
  const wallet =
    typeof value === 'string' && isAddress(value, { strict: false }) ? getAddress(value) : undefined;
  // If the variable now holds another wallet, the stored e-mail address is not that wallet's.
  const isSame = wallet !== undefined && participant?.walletAddress === wallet;
  const email = isSame && typeof participant.email === 'string' ? participant.email : undefined;
  return { email, wallet };
}
