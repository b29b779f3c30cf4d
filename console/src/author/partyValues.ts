import { isObject, member } from '../agreements/member.ts';

export type Party = {
  readonly name: string;
  readonly type: string;
  readonly isParticipant: boolean;
  readonly isInitial: boolean;
};
export type Values = Readonly<Record<string, string>>;

const reference = /\$\{variables\.(\w+)/;

/** The variables whose values a deployment needs: the participants, and the variables in `initialize`. */
export function listParties(json: unknown): readonly Party[] {
  const variables = member(json, 'variables');
  const start = member(json, 'execution', 'initialize', 'data');
  const initial = new Set(
    Object.values(isObject(start) ? start : {}).flatMap((value) => {
      const [, name] = typeof value === 'string' ? (reference.exec(value) ?? []) : [];
      return name === undefined ? [] : [name];
    }),
  );
  return Object.entries(isObject(variables) ? variables : {}).flatMap(([name, variable]): Party[] => {
    const subtype = member(variable, 'subtype') ?? member(variable, 'subType');
    const isParticipant = subtype === 'participant';
    const isInitial = initial.has(name);
    return isParticipant || isInitial
      ? [{ name, type: String(member(variable, 'type')), isParticipant, isInitial }]
      : [];
  });
}

/** Sample data for trying a document: wallets that nobody owns, and values that fit the usual rules. */
export function suggestValues(json: unknown, parties: readonly Party[]): Record<string, string> {
  return Object.fromEntries(
    parties.map(({ name, type }, at) => [
      name,
      suggestValue(member(json, 'variables', name, 'validation'), type, at),
    ]),
  );
}

function suggestValue(validation: unknown, type: string, at: number): string {
  if (type === 'address')
    return `0x${String(at + 1)
      .padStart(2, '0')
      .repeat(20)}`;
  if (type === 'uint256') return String(member(validation, 'min') ?? member(validation, 'max') ?? '1');
  if (type === 'bool') return 'true';
  if (type === 'bytes32' || type === 'txHash') return `0x${'11'.repeat(32)}`;
  if (type === 'dateTime') return new Date(Date.now() + 30 * 86_400_000).toISOString();
  const shortest = Number(member(validation, 'minLength') ?? 1);
  return 'Example'.padEnd(Math.min(500, Number.isFinite(shortest) ? shortest : 1), '.');
}

type Deployment = {
  readonly initValues: Record<string, unknown>;
  readonly participants: { variableKey: string; walletAddress: string }[];
};

/** Values in the form for the service. */
export function splitValues(parties: readonly Party[], values: Values): Deployment {
  const given = parties.filter(({ name }) => (values[name] ?? '') !== '');
  const participants = given
    .filter(({ isParticipant }) => isParticipant)
    .map(({ name }) => ({ variableKey: name, walletAddress: values[name] ?? '' }));
  const others = given.filter(({ isParticipant }) => !isParticipant);
  const initValues = Object.fromEntries(
    others.map(({ name, type }) => [name, type === 'bool' ? readBool(values[name]) : values[name]]),
  );
  return { initValues, participants };
}

/** Any other text stays, and the service refuses it. */
function readBool(text: string | undefined): unknown {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}
