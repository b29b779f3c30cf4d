import { listSignedVariables } from '../../../src/protocol/signedVariables.ts';
import { texts } from '../texts/texts.ts';
import { member } from './member.ts';
import { nameOfVariable } from './naming.ts';
import type { NamedValue } from './reviewValues.tsx';

export type ShownValues = {
  readonly values: readonly NamedValue[];
  readonly unsigned: readonly NamedValue[];
};

type Deployment = {
  readonly json: unknown;
  readonly displayName: string;
  /** By variable name. */
  readonly variables: Readonly<Record<string, unknown>>;
};

/**
 * What is shown of a deployment, by whether its signature covers it: the values, and the record's name if the document has
 * another one.
 */
export function splitSigned({ json, displayName, variables }: Deployment): ShownValues {
  const signed = listSignedVariables(json);
  const names = Object.keys(variables);
  const write = (name: string): NamedValue => [nameOfVariable(json, name), variables[name]];
  const isNamed = member(json, 'metadata', 'name') === displayName;
  return {
    values: names.filter((name) => signed.has(name)).map(write),
    unsigned: [
      ...names.filter((name) => !signed.has(name)).map(write),
      ...(isNamed ? [] : [[texts.author.displayName, displayName] as const]),
    ],
  };
}
