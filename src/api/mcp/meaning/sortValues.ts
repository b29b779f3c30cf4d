import { listInitialVariables } from '../../../protocol/initialData.ts';
import { JsonCursor } from '../../../protocol/jsonCursor.ts';
import { findVariableReference } from '../../../protocol/references.ts';

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
  const names = listSigned(agreement);
  return {
    signed: Object.fromEntries(given.filter(([name]) => names.has(name))),
    unsigned: given.flatMap(([name]) => (names.has(name) ? [] : [name])),
  };
}

/** Variables that the contract stores at its creation, and those that the calls of actions contain. */
function listSigned(agreement: unknown): Set<string> {
  const root = new JsonCursor(agreement);
  const calls = root
    .at('execution')
    .at('actions')
    .items()
    .map((action) => action.at('call'));
  const texts = calls.flatMap((call) => [call.at('target'), ...call.at('args').items()]);
  const called = texts.flatMap(({ value }) =>
    typeof value === 'string' ? (findVariableReference(value) ?? []) : [],
  );
  return new Set([...listInitialVariables(root).map(({ name }) => name), ...called]);
}
