import type { Issue } from './errors.ts';
import { listIssues } from './issueList.ts';
import { isJsonObject } from './jsonCursor.ts';
import { listSignedVariables } from './signedVariables.ts';

type GivenValues = {
  readonly agreement: unknown;
  /** By variable name. */
  readonly initValues?: unknown;
  /** An array of `{variableKey, walletAddress, ...}`. */
  readonly participants?: unknown;
};

/** Warnings about the given values that the deployment's signature does not cover. */
export function warnOfUnsignedValues({ agreement, initValues, participants }: GivenValues): readonly Issue[] {
  const signed = listSignedVariables(agreement);
  const values = isJsonObject(initValues) ? Object.keys(initValues) : [];
  const wallets = Array.isArray(participants) ? participants : [];
  const given = [
    ...values.map((name) => ({ name, path: `initValues.${name}` })),
    ...wallets.map((item, at) => ({
      name: isJsonObject(item) ? item.variableKey : undefined,
      path: `participants[${at}].walletAddress`,
    })),
  ];
  const first = new Map(given.toReversed().map(({ name, path }) => [name, path]));
  const unsigned = given.filter(
    ({ name, path }) => typeof name === 'string' && first.get(name) === path && !signed.has(name),
  );
  return listIssues(unsigned.map(({ path }) => ({ path, message: unsignedMessage })));
}

const unsignedMessage =
  'is not signed and not stored on the chain: neither execution.initialize.data nor an action refers to its variable';
