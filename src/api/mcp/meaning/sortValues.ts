import { listSignedVariables } from '../../../protocol/signedVariables.ts';

type Given = {
  readonly agreement: unknown;
  readonly initValues?: Readonly<Record<string, unknown>> | undefined;
  readonly participants?:
    | readonly { readonly variableKey: string; readonly walletAddress: string }[]
    | undefined;
};

/** The given values that a deployment's signature covers, and the names of the others. */
export function sortValues({ agreement, initValues = {}, participants = [] }: Given): {
  signed: Record<string, unknown>;
  unsigned: string[];
} {
  const wallets = participants.map(({ variableKey, walletAddress }) => [variableKey, walletAddress] as const);
  const given = [...new Map([...Object.entries(initValues), ...wallets])];
  const names = listSignedVariables(agreement);
  return {
    signed: Object.fromEntries(given.filter(([name]) => names.has(name))),
    unsigned: given.flatMap(([name]) => (names.has(name) ? [] : [name])),
  };
}
