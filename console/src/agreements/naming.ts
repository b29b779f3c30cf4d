import { showUnseen } from '../../../src/protocol/showUnseen.ts';
import { texts } from '../texts/texts.ts';
import { knowsRules } from './knowsRules.ts';
import { member } from './member.ts';
import type { Shown } from './source.ts';

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? showUnseen(value) : undefined;

/** The document's name for an input, or else its id. */
export function nameOfInput(json: unknown, inputId: string): string {
  const input = member(json, 'execution', 'inputs', inputId);
  return textOf(member(input, 'displayName')) ?? textOf(member(input, 'name')) ?? showUnseen(inputId);
}

/** The document's description of an input's field: from the field's own definition, or from its variable. */
export function describeField(
  json: unknown,
  inputId: string,
  field: string,
): { name: string; hint?: string } {
  const own = member(json, 'execution', 'inputs', inputId, 'data', field);
  const variable = member(json, 'variables', field);
  const name = textOf(member(own, 'name')) ?? textOf(member(variable, 'name')) ?? showUnseen(field);
  const hint = textOf(member(own, 'description')) ?? textOf(member(variable, 'description'));
  return { name, ...(hint !== undefined && { hint }) };
}

export function nameOfVariable(json: unknown, variable: string): string {
  return textOf(member(json, 'variables', variable, 'name')) ?? showUnseen(variable);
}

/** The participant of a wallet; undefined for any other wallet. */
export function findParty({ json, participants }: Shown, wallet: string): string | undefined {
  const own = participants.find(({ walletAddress }) => isSame(walletAddress, wallet));
  return own && nameOfVariable(json, own.variableKey);
}

/** The name of the participant with this wallet, as the service gives it. */
export function nameOfWallet(
  participants: readonly { readonly displayName: string; readonly walletAddress: string }[] | undefined,
  wallet: string,
): string | undefined {
  return participants?.find(({ walletAddress }) => isSame(walletAddress, wallet))?.displayName;
}

export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

type Accepted = { readonly issuers: readonly string[]; readonly anyone: boolean };

/** The allowed senders of an input, in words. */
export function writeIssuers(shown: Shown, { issuers, anyone }: Accepted): string {
  if (anyone) return texts.agreement.anyone;
  if (issuers.length === 0) return knowsRules(shown) ? texts.agreement.nobody : texts.agreement.unknownIssuer;
  const names = issuers.map(
    (wallet) => findParty(shown, wallet) ?? `${wallet.slice(0, 6)}…${wallet.slice(-4)}`,
  );
  return names.join(', ');
}
