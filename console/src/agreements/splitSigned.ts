import { listSignedVariables } from '../../../src/protocol/signedVariables.ts';
import { listOtherName } from './agreementName.ts';
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
  return {
    values: names.filter((name) => signed.has(name)).map(write),
    unsigned: [
      ...names.filter((name) => !signed.has(name)).map(write),
      ...listOtherName({ json, displayName }),
    ],
  };
}
